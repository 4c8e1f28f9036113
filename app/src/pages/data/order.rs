//! What an order's page is made from: the order, and what its owner can do with it now.

use crate::wire::OrderWithJournal;

/// An order's page.
#[derive(Clone, Debug)]
pub struct OrderPage {
    /// The order with its journal.
    pub order: OrderWithJournal,
    /// The order's version: the page looks again once it hears of a newer one.
    pub version: i64,
    /// Name and picture path of each line's product, in the order of the lines.
    pub products: Vec<(String, String)>,
    /// Receiver's name.
    pub name: String,
    /// Receiver's telephone number.
    pub phone: String,
    /// Receiver's address.
    pub address: String,
    /// Note to the shop.
    pub note: String,
    /// Coupon used, if any.
    pub coupon: Option<String>,
    /// Channels that it can be paid with now, in the order in which they are offered; empty if it cannot be paid.
    pub channels: Vec<String>,
    /// The payment that waits for the buyer, if there is one.
    pub open_payment: Option<OpenPayment>,
    /// Whether the buyer can still cancel: `POST /orders/{order_no}/cancel`.
    pub can_cancel: bool,
    /// Whether the buyer can say that it arrived: `POST /orders/{order_no}/receipt`.
    pub can_confirm_receipt: bool,
    /// The most that can be asked back, in fen; 0 if nothing can.
    pub refundable_fen: i64,
    /// Hidden field `refund_no` of `POST /orders/{order_no}/refunds`: fresh for each page, so that a page makes one refund at most.
    pub refund_no: String,
    /// Field `amount` of the refund, as typed; none for everything that can be asked back.
    pub refund_amount: Option<String>,
    /// Field `reason` of the refund, as typed.
    pub refund_reason: String,
    /// Why the last press had no effect.
    pub notice: Option<OrderNotice>,
}

/// A payment that waits for the buyer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPayment {
    /// The channel that takes it.
    pub channel: String,
    /// `qr`: the buyer scans. `redirect`: the buyer goes there.
    pub kind: String,
    /// The text of the QR code, or where the buyer goes.
    pub url: String,
    /// The QR code as a `data:` address.
    pub qr_image: Option<String>,
    /// Where the buyer can pay on this very device, if the text of the QR code is such an address.
    pub payable_here: Option<String>,
}

/// Why a press on an order's page had no effect. The texts are the messages `order-notice-{as_str}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderNotice {
    /// The channel gave no answer: nobody knows whether it got the payment. Pressing again asks for the same one.
    PaymentUnreachable,
    /// The channel will not take this payment.
    ChannelRefused,
    /// The order is not to be paid any more.
    NotPayable,
    /// The order cannot be cancelled any more: it was paid, or is closed already.
    CannotCancel,
    /// More was asked back than there is.
    RefundTooLarge {
        /// The most that can be asked back, in fen.
        refundable_fen: i64,
    },
    /// What was typed is no amount.
    RefundAmountInvalid,
    /// What was typed is no reason.
    RefundReasonInvalid,
    /// An earlier press is still being worked on.
    StillWorking,
    /// The form's number already stands for a refund of another amount or reason.
    RefundNumberTaken,
    /// There is nothing to confirm: the order was not shipped, or all of it is going back.
    CannotConfirm,
}

impl OrderNotice {
    /// The name that the message files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PaymentUnreachable => "payment-unreachable",
            Self::ChannelRefused => "channel-refused",
            Self::NotPayable => "not-payable",
            Self::CannotCancel => "cannot-cancel",
            Self::RefundTooLarge { .. } => "refund-too-large",
            Self::RefundAmountInvalid => "refund-amount-invalid",
            Self::RefundReasonInvalid => "refund-reason-invalid",
            Self::StillWorking => "still-working",
            Self::RefundNumberTaken => "refund-number-taken",
            Self::CannotConfirm => "cannot-confirm",
        }
    }

    /// The id of the input that the buyer will want to change.
    pub fn field(self) -> Option<&'static str> {
        match self {
            Self::RefundTooLarge { .. } | Self::RefundAmountInvalid => Some("refund-amount"),
            Self::RefundReasonInvalid => Some("refund-reason"),
            _ => None,
        }
    }
}

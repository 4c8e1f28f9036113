# Texts of the shop in English. zh.ftl holds the same messages with the same attributes and variables: a test compares them.
# The names of messages that follow data (field-error-…, notice-…, order-notice-…, order-lead-…, channel-…, surplus-…, refund-status-…,
# problem-…, message-…, status-…, event-…, source-…) are made in code.

shop-name = Oncemart
skip-to-content = Skip to content
nav-label = Main
nav-catalog = Shop
nav-orders = My orders
language-label = Language
language-en = English
language-zh = 中文
footer-promise = Oncemart is a demonstration shop: click twice, reload, lose the network – each order form still becomes one order at most. Nothing here is really sold or shipped.
footer-problems = Problems and what to do
error-title = Error: { $title }
breadcrumb-back = Back to the shop
price = ¥{ $amount }
minus-price = −¥{ $amount }

# Catalog

catalog-title = The shop
catalog-heading = Good things, ordered exactly once
catalog-intro = Pick something. However often you click, reload or lose the connection, you get one order – never two.
catalog-empty = Nothing is on sale at the moment. Please come back a little later.
catalog-order = Order
    .label = Order { $product }
availability-in-stock = In stock
availability-few = Only { $count } left
availability-sold-out = Sold out
availability-off-sale = Not on sale

# Order form

form-title = Order { $product }
form-heading = Place your order
form-lead = Check the quantities, tell us where it should go, and press once. Pressing again does no harm.
form-items = Items
form-quantity = Quantity
    .label = Quantity of { $product }
form-quantity-hint = From 1 to { $maximum } of each product.
form-each = ¥{ $amount } each
form-unknown-product = Unknown product { $sku }
form-remove = Remove
    .label = Remove { $product }
form-add = Add another product
    .choose = Choose a product
    .button = Add
form-no-lines = Your order is empty. Add a product below.
form-receiver = Receiver
form-name = Name
form-phone = Phone
    .hint = 5 to 20 digits; spaces, hyphens, parentheses and one leading + are fine.
form-address = Address
    .hint = Everything on one line: province, city, street, house.
form-note = Note to the shop
    .optional = optional
form-coupon = Coupon
    .hint = It is taken off when you press “Apply”, and checked once more when you order.
    .apply = Apply
form-coupon-good = This coupon takes ¥{ $amount } off.
summary-heading = Summary
summary-subtotal = Subtotal
summary-discount = Coupon
summary-total = Total
summary-unknown = Check quantities
summary-recalculate = Recalculate
form-submit = Place the order
form-promise = One form, one order: if you are not sure that it worked, press again. You will not be charged twice.
form-errors-heading = Please correct { $count ->
        [one] one field
       *[other] { $count } fields
    }

# The island: what the page says while an order is on its way

sending-busy = Placing your order…
sending-status = Sending your order…
sending-retry = Not sure it arrived. Trying again – you will not be charged twice.
sending-offline = You are offline. Your order is kept here and goes out once the connection is back – only once.
sending-try-now = Try now
sending-done = Your order is placed. Opening it…
    .link = Open the order
editing-busy = Updating…
editing-done = The order form was updated.
elsewhere-heading = This form became an order in another tab
elsewhere-text = Your order is placed, once. Nothing you do in this tab can place it again.
elsewhere-link = See the order
elsewhere-again = Start a new order
coupon-not-applied = This coupon is unknown or used up: it takes nothing off.

# Errors of fields

field-items = Items
field-quantity = Quantity of { $product }
field-error-required = Please fill this in.
field-error-too-long = At most { $maximum } characters.
field-error-forbidden-character = This contains a character that cannot be used here, such as a control character.
field-error-not-a-phone-number = A phone number has 5 to 20 digits; spaces, hyphens, parentheses and one leading + are fine.
field-error-not-a-quantity = A whole number from 1 to { $maximum }, please.
field-error-not-a-sku = This is not a product number.
field-error-too-many-lines = At most { $maximum } different products in one order.
field-error-not-a-text = This is not a text.
field-error-not-an-amount = This is not a whole number of fen.
field-error-not-a-channel = This is not a payment channel.

# Why an attempt was not accepted: nothing was ordered, the input is kept

notice-sold-out = Not enough of it is left
    .text = Somebody was faster: { $product } is sold out, or fewer pieces are left than you asked for. Nothing was ordered. Change the quantity or remove the product.
    .text-left = { $available ->
        [0] { $product } is sold out. Nothing was ordered. Remove it to order the rest.
        [one] Only one piece of { $product } is left. Nothing was ordered. Change the quantity and order again.
       *[other] Only { $available } pieces of { $product } are left. Nothing was ordered. Change the quantity and order again.
    }
notice-price-changed = A price has changed
    .text = The price of { $product } changed while this page was open. Nothing was ordered. The new price is shown below; order again if you agree.
notice-unknown-product = We do not know this product
    .text = { $product } does not exist in this shop. Nothing was ordered. Remove it to order the rest.
notice-product-off-sale = No longer on sale
    .text = { $product } is not on sale at the moment. Nothing was ordered. Remove it to order the rest.
notice-coupon-not-usable = This coupon cannot be used
    .text = It is unknown, used up or not valid any more. Nothing was ordered. Remove or correct it, then order again.
notice-refused = The order could not be accepted
    .text = Nothing was ordered. Please look through the form and order again.
notice-token-expired = This page was open for a long time
    .text = A form is good for 24 hours. Nothing was ordered. Your input is kept and the form is fresh again: please check it and order.
notice-token-unknown = This form does not belong to this visit
    .text = Perhaps the browser's cookies were deleted. Nothing was ordered by this attempt. Your input is kept and the form is fresh: please check it and order.
notice-token-reused = This form is already order { $order }
    .text = It was accepted earlier with other content, and that order stands unchanged. What you changed since was not ordered.
    .link = See order { $order }
notice-try-again = We could not confirm your order just now
    .text = Nothing is lost: your input is kept. Please order again in a moment – the same form never becomes two orders.
notice-edited = The form was updated
    .text = Nothing has been ordered yet.
notice-go-to-field = Go to the field

# A form that became an order

became-title = This form became an order
became-heading = This form became order { $order }
became-text = It was placed once and cannot be placed again. Look at the order, or start a new one if you want the same again.
became-link = See order { $order }
became-restart = Start a new order

# Still working

working-title = Your order is being worked on
working-heading = One moment – we are still on it
working-text = We do not know yet whether your order went through. This page looks again every two seconds. Nothing is ordered twice, whatever you press.
working-gave-up-title = Not known yet
working-gave-up-heading = It takes longer than it should
working-gave-up-text = We still cannot say whether your order went through. Please go back to the form and send it again: that is safe. If the first attempt arrived, you get that same order – never a second one.
working-back = Back to the form

# Order

order-title = Order { $order }
order-heading = Your order
order-announcement = { $event }. Your order: { $status }.
order-lead-WAIT_PAY = Thank you! Your order is placed – once. It is yours as soon as it is paid.
order-lead-PAID = Thank you! Your payment arrived. We are getting your order ready.
    .nothing-to-pay = Thank you! Your order is placed – once. There is nothing to pay.
order-lead-SHIPPED = Your order is on its way to you.
order-lead-COMPLETED = You have received your order. Enjoy it!
order-lead-CLOSED = This order is closed. Nothing more will be charged.
    .cancelled = You cancelled this order. Nothing more will be charged.
    .deadline-passed = This order was closed because it was not paid in time. Nothing more will be charged.
order-lead-REFUNDING = All your money is on its way back to you.
order-lead-REFUNDED = All your money went back to you.
order-number-label = Order number
order-placed-at = Placed
order-pay-before = Please pay before
order-items = Items
order-pieces = { $count } × ¥{ $amount }
order-receiver = Receiver
order-note = Note
order-coupon = Coupon code
order-amounts = Amounts
order-journal = What has happened
order-again = Order something else
amount-paid = Paid
amount-refund-asked = Refund under way
amount-refunded = Refunded
journal-by = by { $source }
journal-change = { $from } → { $to }
time-zone = { $time } (UTC+8)
status-WAIT_PAY = Waiting for payment
status-PAID = Paid
status-SHIPPED = Shipped
status-COMPLETED = Completed
status-CLOSED = Closed
status-REFUNDING = Refund under way
status-REFUNDED = Refunded
event-placed = Order placed
event-payment_succeeded = Payment arrived
event-payment_failed = Payment failed
event-payment_closed = Payment closed
event-cancelled = Order cancelled
event-deadline_passed = Time to pay ran out
event-surplus_received = Money arrived that was not owed
event-surplus_refunded = Money that was not owed went back
event-shipped = Order shipped
event-received = Receipt confirmed
event-refund_asked = Refund asked for
event-refund_succeeded = Refund arrived
event-refund_refused = Refund refused
source-buyer = you, in the browser
source-api_client = an API client
source-channel = the payment channel
source-timer = the clock
source-consumer = the shop, automatically
source-operator = the shop’s staff

# Order: paying

channel-wechat = WeChat Pay
channel-alipay = Alipay
channel-webhook = Bank card
payment-choose = How would you like to pay { $price }?
payment-another = Or pay another way
payment-promise = Press as often as you like: you will not be charged twice.
payment-none = This order cannot be paid at the moment. Please look again in a little while.
payment-open = Pay ¥{ $amount } with { $channel }
payment-qr = Scan this code with { $channel } on your phone.
    .alt = QR code: scan it with { $channel } to pay ¥{ $amount }.
    .here = Or pay on this device
payment-redirect = You pay on the page of the payment provider, which leads you back here.
    .continue = Continue to { $channel }
payment-then = Paid already? It shows here as soon as the payment arrives.
payment-look-again = Look again
payment-failed = The payment with { $channel } did not work. Nothing was charged; please choose again.
surplus-late =
    .refunding = ¥{ $amount } arrived by { $channel } after this order was closed. It is being refunded; you need not do anything.
    .refunded = ¥{ $amount } arrived by { $channel } after this order was closed. It has been refunded.
surplus-second =
    .refunding = ¥{ $amount } arrived by { $channel } although this order was paid already. It is being refunded; you need not do anything.
    .refunded = ¥{ $amount } arrived by { $channel } although this order was paid already. It has been refunded.

# Order: after paying

receipt-text = Has everything arrived?
    .button = I have received it
cancel-heading = Cancel this order
    .text = The order is closed for good and nothing more will be charged. If you pay at this very moment, the order stays paid.
    .button = Yes, cancel it
refund-heading = Ask for a refund
    .button = Ask for this refund
    .promise = Press as often as you like: this form makes one refund.
refund-amount = Amount in yuan
    .hint = Up to ¥{ $amount }. If all of it goes back, nothing more is shipped.
refund-reason = Reason
    .hint = A few words. The payment provider shows them to you with the refund.
refunds-heading = Refunds
refund-status-ASKED = Under way
refund-status-SUCCEEDED = Refunded
refund-status-REFUSED = Refused

# Order: why a press had no effect

order-notice-payment-unreachable = We do not know whether this payment was prepared
    .text = The payment provider gave no answer, so we are not sure that our request arrived. Please press again: it is the same payment, and you will not be charged twice.
order-notice-channel-refused = The payment provider does not take this payment
    .text = Nothing was charged. Please choose another way to pay.
order-notice-not-payable = This order is not to be paid any more
    .text = It has been paid or closed meanwhile. Nothing was charged by this press; below is how it stands now.
order-notice-cannot-cancel = This order cannot be cancelled any more
    .text = It was paid meanwhile, or it is closed already. Below is how it stands now.
order-notice-refund-too-large = This is more than can be refunded
    .text = At most ¥{ $amount } can still be refunded. No refund was asked for.
order-notice-refund-amount-invalid = Please give an amount in yuan, such as 19.90
    .text = It is more than zero and has two decimals at most. No refund was asked for.
order-notice-refund-reason-invalid = Please give a reason in a few words
    .text = It must be short and without special control characters. No refund was asked for.
order-notice-still-working = We are still working on it
    .text = An earlier press has not finished. Please look again in a moment: nothing happens twice, whatever you press.
order-notice-refund-number-taken = This form has asked for a refund already
    .text = That refund, with its own amount and reason, stands unchanged; you see it below. If you want this one as well, press again: the form is fresh.
order-notice-cannot-confirm = There is nothing to confirm
    .text = Only an order that was shipped can be received. Below is how it stands now.

# My orders

orders-title = My orders
orders-heading = My orders
orders-intro = Everything that was ordered with this browser, newest first.
orders-empty = No orders yet
    .text = Whatever you order with this browser shows up here.
    .link = Have a look around the shop
orders-pieces = { $count ->
        [one] 1 piece
       *[other] { $count } pieces
    }
orders-open = Order { $order }

# Pages that only say something

message-not-found =
    .title = Nothing here
    .text = This page does not exist, or it belongs to somebody else.
message-cookies-needed =
    .title = Please allow cookies
    .text = The order form needs one cookie, to know that a form is yours. Your browser did not keep it, so nothing was stored. Allow cookies for this site, then open the form again.
message-cross-site =
    .title = This did not come from our shop
    .text = Another website tried to send something here in your name. It was refused and nothing was changed. If you were filling in our form, open it again and send it from there.
message-unavailable =
    .title = One moment, please
    .text = The shop cannot reach its records right now. Nothing was lost and nothing was ordered twice. Please load this page again in a moment.
message-too-large =
    .title = That was too much
    .text = What was sent is larger than the shop accepts. Nothing was ordered. Please go back and shorten your input.
message-bad-request =
    .title = We could not read that
    .text = What was sent is not a form of this shop. Nothing was ordered. Please open the form again.
message-broken =
    .title = Something broke on our side
    .text = We are sorry. If you were placing an order, send the same form again: it becomes one order at most.
message-home = Back to the shop

# Problems of the API

problems-title = Problems and what to do
problems-heading = Problems and what to do
problems-intro = Every error of the API carries one of these types. Each link is the type's stable address.
problems-keys-heading = How long keys live
problems-keys-first = A submit token can start an order for 24 hours after the form was loaded. After that, an unused one answers 410 and the page offers a fresh one.
problems-keys-kept = The answer to a key is kept for at least 7 days after the last moment at which that key could still have started an order. Until then, the same request with the same key gets the first answer again, byte for byte, with Idempotency-Replayed: true.
problems-keys-after = An order outlives its record: a key whose answer is gone but whose order exists never makes a second order.
problems-retry-heading = What Retry-After means
problems-retry-text = Retry-After says after how many seconds the same request may be sent again – with the same key and the same content. A duplicate of a running request waits up to 2 seconds for its result first. An answer without Retry-After will not change by waiting: read its type and correct the request.
problems-list-heading = Types
problems-status = HTTP { $status }
problem-meaning = What it means
problem-action = What to do
problem-all = All problem types
problem-missing-key = No idempotency key
    .meaning = The request carried no key: neither X-Submit-Token, nor Idempotency-Key, nor the form field submit_token. The server never makes one up, because then a retry could not be recognised.
    .action = Send the form's submit token, or as an API client a key of your own, and the same one on every retry.
problem-key-mismatch = More than one key
    .meaning = The request named two different keys, or one key header twice, so nobody can say which one counts. Neither was used up.
    .action = Send one key, in one place. Both keys can still be used.
problem-malformed-key = Not a key
    .meaning = The key is empty, longer than 128 characters, or holds characters that a key cannot have.
    .action = Send 1 to 128 visible ASCII characters; a submit token exactly as the page gave it.
problem-malformed-request = Unreadable request
    .meaning = The request could not be parsed: broken JSON or form encoding, a name given twice, or bytes that are not UTF-8. The key was not used up.
    .action = Correct the request and send it again, with the same key.
problem-unsupported-media-type = Unsupported content type
    .meaning = An order is sent as application/json or application/x-www-form-urlencoded, in UTF-8. This request was something else.
    .action = Set Content-Type to one of the two and send the same key again.
problem-request-too-large = Request too large
    .meaning = The body is larger than the server reads. Nothing of it was used; the key is still good.
    .action = Send a smaller body. An order has 50 lines at most.
problem-invalid-fields = Invalid fields
    .meaning = One or more fields do not have the required shape. The list “errors” has one entry per field. The key was not used up.
    .action = Correct the fields and send the request again; the same key may be used.
problem-unknown-token = Unknown submit token
    .meaning = The token was not issued by this shop, or not to this browser session. Nothing is revealed about whether somebody else used it.
    .action = Load the order form again and use the token that it carries.
problem-expired-token = Expired submit token
    .meaning = The token was issued more than 24 hours ago and never became an order. Nothing was ordered.
    .action = Load the order form again. The page keeps what you typed and offers a fresh token.
problem-unauthorized = Not authorized
    .meaning = Keys of your own need an API client's secret, and the one that this request carried is not known.
    .action = Send Authorization: Bearer with your client's secret, or use a submit token from an order form.
problem-cross-site-request = Request from another site
    .meaning = A write came from a page of another website. It was refused before anything else was looked at.
    .action = Send writes from the shop's own pages, or from a program with its own credentials.
problem-key-reused = Key already used for something else
    .meaning = This key already stands for an accepted request with other content. That first result is unchanged.
    .action = For a repeat, send exactly the first content. For a new order, use a new key. Otherwise look for a bug: a key must never be shared by two operations.
problem-still-running = Still running
    .meaning = The first request with this key has not finished. The server waited up to 2 seconds for it. A request that died holds its key only for a few seconds.
    .action = Wait as long as Retry-After says, then send the same request with the same key. You get the first one's result.
problem-sold-out = Not enough in stock
    .meaning = Fewer pieces are left than the order asks for. Nothing was reserved, and the key stays free.
    .action = Lower the quantity and send again; the same key may be used for the same or the corrected order.
problem-unknown-product = Unknown product
    .meaning = The order names a product that does not exist. Nothing was ordered, and the key stays free.
    .action = Remove or correct the product and send again; the same key may be used.
problem-product-off-sale = Product not on sale
    .meaning = The product exists but cannot be ordered at the moment. Nothing was ordered, and the key stays free.
    .action = Remove the product, or send the same request later; the same key may be used.
problem-price-changed = Price changed
    .meaning = The total or a price that you expected is not the current one. Nothing was ordered, and the key stays free.
    .action = Read the current price. If you agree, send the order with it; the same key may be used.
problem-coupon-not-usable = Coupon not usable
    .meaning = The coupon is unknown, used up or not valid any more. Nothing was ordered – above all not at the full price – and the key stays free.
    .action = Remove or change the coupon and send again; the same key may be used.
problem-channel-not-available = Payment channel not open
    .meaning = This shop has no settings for that payment channel. Nothing was begun.
    .action = Choose a channel that the order's page offers.
problem-channel-refused = Payment channel refuses
    .meaning = The provider gave a definite no. This payment is over; no money moved.
    .action = Pay again, with this or another channel: that is a new payment.
problem-order-not-payable = Order not waiting for a payment
    .meaning = The order is paid, closed, or past its time. Nothing was begun.
    .action = Look at the order. If it was closed, place a new one.
problem-order-not-cancellable = Order cannot be cancelled
    .meaning = The order is paid or closed already. Nothing was changed.
    .action = A paid order can be refunded instead.
problem-order-not-receivable = Nothing to confirm
    .meaning = The order does not stand where this can happen: only what is on its way can arrive, and only what is paid can be sent. Nothing was changed.
    .action = Look at the order's status.
problem-refund-too-large = More asked back than is left
    .meaning = More is asked back than was paid and not yet asked back. No money moves.
    .action = Ask for at most the amount in “refundable_fen”.
problem-refund-number-taken = Refund number taken
    .meaning = Another refund has this number. No money moves.
    .action = Ask again with a number of your own that no other refund has.
problem-record-expired = The record is gone, the order stands
    .meaning = This key became an order long ago. Its stored answer has been cleared away, but the order exists. No second order was made.
    .action = Follow the link to the order. For a new order, use a new key.
problem-not-found = Not found
    .meaning = There is nothing at this address, or it belongs to somebody else. The two cannot be told apart, on purpose.
    .action = Check the address and your credentials.
problem-method-not-allowed = Method not allowed
    .meaning = This address exists, but not for this method.
    .action = Use one of the methods that the header Allow lists.
problem-unavailable = Temporarily unavailable
    .meaning = The database was away or too slow. This answer was not stored under the key. In the rare case that the work went through after all, the retry finds its result.
    .action = Wait as long as Retry-After says, then send the same request with the same key.
problem-internal-error = Internal error
    .meaning = Something broke on our side. This answer was not stored under the key.
    .action = Send the same request again with the same key; it takes effect once at most. If it keeps failing, tell us the request id.

# The sandbox gateway

sandbox-name = Sandbox gateway
sandbox-no-money = No real money
sandbox-footer = This page stands for a payment provider's. It belongs to the sandbox: nothing here moves money, and it signs with keys of its own.
sandbox-channel-wechat = WeChat Pay
sandbox-channel-alipay = Alipay
sandbox-channel-webhook = Webhook provider
sandbox-state-open = Can be paid
sandbox-state-paid = Paid
sandbox-state-closed = Closed, not paid
sandbox-state-failed = Failed, not paid
sandbox-cashier-title = Pay { $amount }
sandbox-cashier-heading = Pay with { $channel }
sandbox-amount = Amount
sandbox-subject = What for
sandbox-merchant = Merchant
sandbox-payment-no = Payment number
sandbox-pay-before = Pay before
sandbox-pay = Pay { $amount }
sandbox-fail = Let the payment fail
sandbox-close = Close without paying
sandbox-back = Back to the shop
sandbox-pay-again = Pay a second time
sandbox-pay-although-closed = Pay although it is closed
sandbox-corner = Engineer's corner
    .text = Real providers do all of this now and then. Choose what goes wrong with this payment, then pay.
    .label = What goes wrong
sandbox-misbehaviour-none = Nothing
sandbox-misbehaviour-lose-answer = The shop's first answer is lost
sandbox-misbehaviour-twice-at-once = The notification comes twice at once
sandbox-misbehaviour-out-of-order = “Not paid” and “closed” come after “paid”
sandbox-misbehaviour-late = The notification comes a minute late
sandbox-misbehaviour-wrong-amount = The notification states another amount
sandbox-misbehaviour-wrong-currency = The notification states another currency
sandbox-misbehaviour-wrong-merchant = The notification is another merchant's
sandbox-misbehaviour-bad-signature = The first signature does not fit
sandbox-misbehaviour-old-timestamp = The first signature is too old
sandbox-misbehaviour-probe = The first notification is a signature probe
sandbox-misbehaviour-full-schedule = The whole schedule is sent, acknowledged or not
sandbox-misbehaviour-silent = No notification at all
sandbox-misbehaviour-refuse-refunds = Refunds are refused
sandbox-misbehaviour-fail-refunds = Refunds are accepted and fail later
sandbox-refused-heading = Nothing to pay here
sandbox-refused-text = The provider does not know this payment, or does not accept the request for it. Please go back to the shop and try again from there.
sandbox-overview-heading = What the sandbox gateway sees
sandbox-overview-intro = The payment provider's side: what shops asked for, what will be sent to them, and everything that came in and went out.
sandbox-payments = Payments
    .empty = Nobody has asked for a payment yet.
sandbox-notices = Notifications
    .empty = There is nothing to send.
sandbox-notice-waiting = Waiting
sandbox-notice-acknowledged = Acknowledged
sandbox-notice-given_up = Given up
sandbox-attempts = { $count ->
        [one] 1 attempt
       *[other] { $count } attempts
    }
sandbox-send-now = Send now
    .label = Send the notification of { $number } now
sandbox-traffic = Traffic
    .empty = Nothing came in or went out yet.
sandbox-direction-received = Received
sandbox-direction-sent = Sent
sandbox-no-answer = no answer
sandbox-request = Request
sandbox-answer = Answer

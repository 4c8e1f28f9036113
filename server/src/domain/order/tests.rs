use super::*;
use proptest::{prelude::*, sample::Index};
use std::collections::BTreeSet;

fn new_order(total_fen: i64) -> Order {
    place(total_fen).0
}

fn paid_order() -> Order {
    after(new_order(10_000), &[pays("wechat:1", 10_000)])
}

fn pays(transaction: &str, amount_fen: i64) -> OrderEvent {
    let transaction = transaction.to_owned();
    OrderEvent::PaymentSucceeded {
        transaction,
        amount_fen,
    }
}

fn asks(number: &str, amount_fen: i64) -> OrderEvent {
    let refund_no = number.to_owned();
    OrderEvent::RefundAsked { refund_no, amount_fen }
}

fn gives(number: &str, amount_fen: i64) -> OrderEvent {
    let refund_no = number.to_owned();
    OrderEvent::RefundSucceeded { refund_no, amount_fen }
}

fn refuses(number: &str, amount_fen: i64) -> OrderEvent {
    let refund_no = number.to_owned();
    OrderEvent::RefundRefused { refund_no, amount_fen }
}

/// The order after events that each move it.
fn after(mut order: Order, events: &[OrderEvent]) -> Order {
    for event in events {
        match decide(&order, event) {
            Decision::Step { order: next, .. } => order = next,
            other => panic!("{event:?} on {order:?}: {other:?}"),
        }
    }
    order
}

#[test]
fn an_order_with_nothing_to_pay_is_paid_at_once() {
    let (order, messages) = place(0);
    assert_eq!(order.status, Status::Paid);
    assert_eq!(messages, [MessageKind::OrderPlaced, MessageKind::OrderPaid]);
}

#[test]
fn every_status_reads_back_from_its_name() {
    for status in Status::ALL {
        assert_eq!(Status::parse(status.as_str()), Some(status));
    }
    assert_eq!(Status::parse("paid"), None);
}

#[test]
fn a_paid_order_cannot_be_cancelled_without_a_refund() {
    assert_eq!(decide(&paid_order(), &OrderEvent::Cancelled), Decision::Impossible);
    assert_eq!(decide(&paid_order(), &OrderEvent::DeadlinePassed), Decision::Impossible);
}

#[test]
fn only_the_whole_price_pays() {
    for amount_fen in [-10_000, 0, 1, 9_999, 10_001, 1_000_000] {
        assert_eq!(
            decide(&new_order(10_000), &pays("wechat:1", amount_fen)),
            Decision::Impossible
        );
    }
}

#[test]
fn the_money_that_paid_is_no_surplus_when_it_is_told_again() {
    assert_eq!(decide(&paid_order(), &pays("wechat:1", 10_000)), Decision::NothingToDo);
    let Decision::Step {
        order,
        messages,
        effect,
    } = decide(&paid_order(), &pays("alipay:1", 10_000))
    else {
        panic!("a second payment is surplus");
    };
    assert_eq!(
        (order, effect),
        (paid_order(), Effect::Surplus(SurplusReason::SecondPayment))
    );
    assert_eq!(messages, [MessageKind::SurplusReceived]);
    let closed = after(new_order(10_000), &[OrderEvent::Cancelled]);
    let Decision::Step { order, effect, .. } = decide(&closed, &pays("wechat:1", 10_000)) else {
        panic!("late money is surplus");
    };
    assert_eq!((order, effect), (closed, Effect::Surplus(SurplusReason::LatePayment)));
}

#[test]
fn a_late_failure_changes_nothing_about_a_paid_order() {
    for failed in [true, false] {
        let payment_no = "P".to_owned();
        assert_eq!(
            decide(&paid_order(), &OrderEvent::PaymentEnded { payment_no, failed }),
            Decision::NothingToDo
        );
    }
}

#[test]
fn nothing_is_shipped_while_all_the_money_is_asked_back() {
    let refunding = after(paid_order(), &[asks("R1", 4_000), asks("R2", 6_000)]);
    assert_eq!(refunding.status, Status::Refunding);
    assert_eq!(decide(&refunding, &OrderEvent::Shipped), Decision::Impossible);
    let refunded = after(refunding, &[gives("R2", 6_000), gives("R1", 4_000)]);
    assert_eq!((refunded.status, refunded.refunded_fen), (Status::Refunded, 10_000));
}

#[test]
fn a_part_that_is_asked_back_leaves_the_order_where_it_is() {
    let order = after(paid_order(), &[asks("R1", 4_000), gives("R1", 4_000)]);
    assert_eq!((order.status, order.refunded_fen), (Status::Paid, 4_000));
    assert_eq!(decide(&order, &asks("R2", 6_001)), Decision::Impossible);
}

#[test]
fn a_refused_refund_leads_back_and_makes_the_shipment_due() {
    let Decision::Step { order, messages, .. } =
        decide(&after(paid_order(), &[asks("R1", 10_000)]), &refuses("R1", 10_000))
    else {
        panic!("a refusal is a step");
    };
    assert_eq!((order, messages), (paid_order(), &[MessageKind::ShipmentDue][..]));
    let shipped = after(paid_order(), &[OrderEvent::Shipped, asks("R1", 10_000)]);
    let Decision::Step { order, messages, .. } = decide(&shipped, &refuses("R1", 10_000)) else {
        panic!("a refusal is a step");
    };
    assert_eq!(
        (order.status, messages.len()),
        (Status::Shipped, 0),
        "what was shipped is not shipped again"
    );
}

/// The reference model: what may follow what, written down a second time as a set.
const EDGES: [(Status, Status); 11] = [
    (Status::WaitPay, Status::Paid),
    (Status::WaitPay, Status::Closed),
    (Status::Paid, Status::Shipped),
    (Status::Shipped, Status::Completed),
    (Status::Paid, Status::Refunding),
    (Status::Shipped, Status::Refunding),
    (Status::Completed, Status::Refunding),
    (Status::Refunding, Status::Refunded),
    (Status::Refunding, Status::Paid),
    (Status::Refunding, Status::Shipped),
    (Status::Refunding, Status::Completed),
];

const TOTAL: i64 = 10_000;

/// One thing that somebody wants to happen, and how often they tell it.
#[derive(Clone, Debug)]
struct Wish {
    event: OrderEvent,
    /// Deliveries: duplicates, and retries after a crash between reading and writing.
    times: usize,
}

/// Buyers, callbacks of two channels, timers, partial refunds and their outcomes.
fn any_wish() -> impl Strategy<Value = Wish> {
    let transaction = prop_oneof![Just("wechat:1"), Just("wechat:2"), Just("alipay:1")];
    let refund = prop_oneof![
        Just(("R1", 4_000_i64)),
        Just(("R2", 6_000)),
        Just(("R3", 6_000)),
        Just(("R4", 10_000)),
        Just(("R5", 1))
    ];
    let event = prop_oneof![
        4 => transaction.prop_map(|transaction| pays(transaction, TOTAL)),
        1 => Just(OrderEvent::Cancelled),
        1 => Just(OrderEvent::DeadlinePassed),
        1 => any::<bool>().prop_map(|failed| OrderEvent::PaymentEnded { payment_no: "P".to_owned(), failed }),
        1 => Just(OrderEvent::Shipped),
        1 => Just(OrderEvent::Received),
        4 => refund.clone().prop_map(|(number, amount)| asks(number, amount)),
        4 => refund.clone().prop_map(|(number, amount)| gives(number, amount)),
        2 => refund.prop_map(|(number, amount)| refuses(number, amount)),
    ];
    (event, 1..4_usize).prop_map(|(event, times)| Wish { event, times })
}

/// The database: one row with a version, and the unique keys that the ledgers and the table of refunds have for ever.
#[derive(Debug)]
struct Store {
    order: Order,
    version: u64,
    money_in: BTreeSet<String>,
    asked: BTreeSet<String>,
    settled: BTreeSet<String>,
    given_back: BTreeSet<String>,
    surplus_fen: i64,
    messages: Vec<MessageKind>,
    journal: Vec<(Status, OrderEvent, Status)>,
}

/// Somebody in the middle of their work: what they read, and what they want.
#[derive(Clone, Debug)]
struct Worker {
    event: OrderEvent,
    read: Option<(Order, u64)>,
}

impl Store {
    fn new() -> Self {
        let (order, messages) = place(TOTAL);
        Self {
            order,
            version: 1,
            money_in: BTreeSet::new(),
            asked: BTreeSet::new(),
            settled: BTreeSet::new(),
            given_back: BTreeSet::new(),
            surplus_fen: 0,
            messages: messages.to_vec(),
            journal: Vec::new(),
        }
    }

    /// Whether the unique keys let this event through: the same money, refund or outcome counts once.
    fn is_new(&self, event: &OrderEvent) -> bool {
        match event {
            OrderEvent::PaymentSucceeded { transaction, .. } => !self.money_in.contains(transaction),
            OrderEvent::RefundAsked { refund_no, .. } => !self.asked.contains(refund_no),
            OrderEvent::RefundSucceeded { refund_no, .. } | OrderEvent::RefundRefused { refund_no, .. } => {
                self.asked.contains(refund_no) && !self.settled.contains(refund_no)
            }
            _ => true,
        }
    }

    /// The one conditional write: whoever read an older version changes nothing and looks again.
    fn write(&mut self, read: &(Order, u64), event: &OrderEvent) -> bool {
        if !self.is_new(event) {
            return true;
        }
        let Decision::Step {
            order,
            messages,
            effect,
        } = decide(&read.0, event)
        else {
            return true;
        };
        if read.1 != self.version {
            return false;
        }
        match event {
            OrderEvent::PaymentSucceeded {
                transaction,
                amount_fen,
            } => {
                self.money_in.insert(transaction.clone());
                if matches!(effect, Effect::Surplus(_)) {
                    self.surplus_fen += amount_fen;
                }
            }
            OrderEvent::RefundAsked { refund_no, .. } => {
                self.asked.insert(refund_no.clone());
            }
            OrderEvent::RefundSucceeded { refund_no, .. } => {
                self.settled.insert(refund_no.clone());
                self.given_back.insert(refund_no.clone());
            }
            OrderEvent::RefundRefused { refund_no, .. } => {
                self.settled.insert(refund_no.clone());
            }
            _ => {}
        }
        self.journal.push((self.order.status, event.clone(), order.status));
        self.messages.extend(messages);
        self.order = order;
        self.version += 1;
        true
    }

    /// What must hold after every step, computed from the journal and not from the state machine.
    fn check(&self) -> Result<(), TestCaseError> {
        let order = &self.order;
        for (from, event, to) in &self.journal {
            prop_assert!(
                from == to || EDGES.contains(&(*from, *to)),
                "{from:?} -{event:?}-> {to:?}"
            );
        }
        prop_assert!(0 <= order.refunded_fen, "{order:?}");
        prop_assert!(order.refunded_fen <= order.refund_asked_fen, "{order:?}");
        prop_assert!(order.refund_asked_fen <= order.paid_fen, "{order:?}");
        // Every fen that came in is either the order's or surplus, and what went back is what was asked, once each.
        let money_in = i64::try_from(self.money_in.len()).unwrap() * TOTAL;
        prop_assert_eq!(money_in, order.paid_fen + self.surplus_fen);
        let went_back: i64 = self
            .journal
            .iter()
            .filter_map(|(_, event, _)| match event {
                OrderEvent::RefundSucceeded { amount_fen, .. } => Some(*amount_fen),
                _ => None,
            })
            .sum();
        prop_assert_eq!(went_back, order.refunded_fen);
        let everything_back = order.paid_fen > 0 && order.refunded_fen == order.paid_fen;
        prop_assert_eq!(order.status == Status::Refunded, everything_back, "{:?}", order);
        let everything_asked = order.paid_fen > 0 && order.refund_asked_fen == order.paid_fen;
        prop_assert_eq!(
            matches!(order.status, Status::Refunding | Status::Refunded),
            everything_asked,
            "{:?}",
            order
        );
        prop_assert_eq!(order.before_refunding.is_some(), order.status == Status::Refunding);
        for once in [
            MessageKind::OrderPaid,
            MessageKind::OrderClosed,
            MessageKind::OrderShipped,
            MessageKind::OrderRefunded,
        ] {
            let times = self.messages.iter().filter(|message| **message == once).count();
            prop_assert!(times <= 1, "{once:?} was said {times} times");
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Everybody works at once: each reads, may be overtaken or crash, and writes only if nobody else has in between.
    #[test]
    fn any_interleaving_keeps_the_books(
        wishes in prop::collection::vec(any_wish(), 0..14),
        schedule in prop::collection::vec((any::<Index>(), 0..10_u8), 0..120),
    ) {
        let mut store = Store::new();
        let mut workers: Vec<Worker> = wishes
            .iter()
            .flat_map(|wish| std::iter::repeat_n(Worker { event: wish.event.clone(), read: None }, wish.times))
            .collect();
        for (who, luck) in schedule {
            if workers.is_empty() {
                break;
            }
            let at = who.index(workers.len());
            match workers[at].read.take() {
                None => workers[at].read = Some((store.order.clone(), store.version)),
                // A crash: what was read is forgotten; the retry begins anew.
                Some(_) if luck == 0 => {}
                Some(read) => {
                    if store.write(&read, &workers[at].event.clone()) {
                        workers.swap_remove(at);
                    }
                }
            }
            store.check()?;
        }
        // Whoever is left retries until they are through; then everything is told once more, which changes nothing.
        let late: Vec<_> = workers.into_iter().map(|worker| worker.event).collect();
        for event in late {
            let read = (store.order.clone(), store.version);
            prop_assert!(store.write(&read, &event));
            store.check()?;
        }
        let before = (store.order.clone(), store.surplus_fen);
        for (_, event, _) in store.journal.clone() {
            if matches!(event, OrderEvent::PaymentEnded { .. }) {
                continue; // No state of its own: told again, it is one more line of the journal.
            }
            let read = (store.order.clone(), store.version);
            prop_assert!(store.write(&read, &event));
        }
        prop_assert_eq!(before, (store.order.clone(), store.surplus_fen));
        store.check()?;
    }
}

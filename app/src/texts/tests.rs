//! Both files say the same things, and the right one is chosen.

use super::*;
use fluent_syntax::{
    ast::{CallArguments, Entry, Expression, InlineExpression, Pattern, PatternElement},
    parser,
};
use std::collections::BTreeSet;

const FILES: [(&str, &str); 2] = [
    ("en.ftl", include_str!("../../messages/en.ftl")),
    ("zh.ftl", include_str!("../../messages/zh.ftl")),
];

/// Every message and attribute with its variables, as `id.attribute $variable …`.
fn inventory(name: &str, source: &str) -> BTreeSet<String> {
    let resource = parser::parse(source).unwrap_or_else(|(_, errors)| panic!("{name}: {errors:?}"));
    let mut all = BTreeSet::new();
    for entry in resource.body {
        match entry {
            Entry::Message(message) => {
                let id = message.id.name;
                let own = message.value.iter().map(|value| (id.to_owned(), value));
                let attributes = message.attributes.iter();
                let attributes = attributes.map(|attribute| (format!("{id}.{}", attribute.id.name), &attribute.value));
                for (full_id, pattern) in own.chain(attributes) {
                    let variables: Vec<_> = variables(pattern).into_iter().collect();
                    assert!(
                        all.insert(format!("{full_id} {}", variables.join(" "))),
                        "{name}: {full_id} stands twice"
                    );
                }
            }
            Entry::Junk { content } => panic!("{name}: {content}"),
            _ => {}
        }
    }
    all
}

fn variables(pattern: &Pattern<&str>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            collect(expression, &mut names);
        }
    }
    names
}

fn collect(expression: &Expression<&str>, names: &mut BTreeSet<String>) {
    let (inline, variants) = match expression {
        Expression::Inline(inline) => (inline, &[][..]),
        Expression::Select { selector, variants } => (selector, variants.as_slice()),
    };
    if let InlineExpression::VariableReference { id } = inline {
        names.insert(format!("${}", id.name));
    }
    if let InlineExpression::FunctionReference {
        arguments: CallArguments { positional, .. },
        ..
    } = inline
    {
        assert!(positional.is_empty(), "functions are not expected in the texts");
    }
    names.extend(variants.iter().flat_map(|variant| variables(&variant.value)));
}

#[test]
fn both_languages_say_the_same_things_with_the_same_variables() {
    let [english, chinese] = FILES.map(|(name, source)| inventory(name, source));
    let lacking: Vec<_> = english.symmetric_difference(&chinese).collect();
    assert!(lacking.is_empty(), "only in one file: {lacking:#?}");
}

#[test]
fn every_text_is_used_somewhere() {
    const CODE: &str = concat!(
        include_str!("../pages.rs"),
        include_str!("../pages/became_order.rs"),
        include_str!("../pages/catalog.rs"),
        include_str!("../pages/form_errors.rs"),
        include_str!("../pages/form_fields.rs"),
        include_str!("../pages/form_lines.rs"),
        include_str!("../pages/form_notice.rs"),
        include_str!("../pages/form_summary.rs"),
        include_str!("../pages/frame.rs"),
        include_str!("../pages/message.rs"),
        include_str!("../pages/order.rs"),
        include_str!("../pages/order/amounts.rs"),
        include_str!("../pages/order/content.rs"),
        include_str!("../pages/order/head.rs"),
        include_str!("../pages/order/journal.rs"),
        include_str!("../pages/order/notice.rs"),
        include_str!("../pages/order/payment.rs"),
        include_str!("../pages/order/refunds.rs"),
        include_str!("../pages/order/steps.rs"),
        include_str!("../pages/order/surplus.rs"),
        include_str!("../pages/order_form.rs"),
        include_str!("../pages/orders.rs"),
        include_str!("../pages/parts.rs"),
        include_str!("../pages/problems.rs"),
        include_str!("../pages/sandbox_cashier.rs"),
        include_str!("../pages/sandbox_frame.rs"),
        include_str!("../pages/sandbox_overview.rs"),
        include_str!("../pages/still_working.rs"),
    );
    // Names that are made from data: the test of the pages renders each.
    let made = [
        "field-error-",
        "notice-",
        "problem-",
        "message-",
        "status-",
        "event-",
        "source-",
        "channel-",
        "order-lead-",
        "order-notice-",
        "refund-status-",
        "surplus-",
        "form-",
        "sandbox-channel-",
        "sandbox-state-",
        "sandbox-misbehaviour-",
        "sandbox-notice-",
        "sandbox-direction-",
    ];
    let (name, source) = FILES[0];
    let unused: Vec<_> = inventory(name, source)
        .into_iter()
        .map(|entry| entry.split(' ').next().unwrap_or_default().to_owned())
        .filter(|id| !made.iter().any(|prefix| id.starts_with(prefix)))
        .filter(|id| !CODE.contains(&format!("\"{id}\"")))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn a_missing_text_shows_as_missing() {
    let texts = Texts::of(Language::English);
    assert_eq!(texts.get("no-such-text"), "⟦no-such-text⟧");
    assert_eq!(texts.get("price"), "⟦price⟧", "a text without its variable");
    assert_eq!(texts.find("status-NO_SUCH"), None);
}

#[test]
fn numbers_choose_their_form() {
    let pieces = |language, count: i64| Texts::of(language).with("orders-pieces", &[("count", count.into())]);
    assert_eq!(pieces(Language::English, 1), "1 piece");
    assert_eq!(pieces(Language::English, 12_000), "12000 pieces");
    assert_eq!(pieces(Language::Chinese, 3), "共 3 件");
}

#[test]
fn the_buyers_choice_comes_before_the_browsers_and_weights_count() {
    let cases = [
        (None, None, Language::English),
        (Some("zh-CN,zh;q=0.9,en;q=0.8"), None, Language::Chinese),
        (Some("zh-CN,zh;q=0.9,en;q=0.8"), Some("en"), Language::English),
        (Some("en-US,en;q=0.9"), Some("zh"), Language::Chinese),
        (Some("en-US,en;q=0.9"), Some("<script>"), Language::English),
        (Some("fr, zh;q=0.2, en;q=0.8"), None, Language::English),
        (Some("en;q=0, ZH-hant ; q=0.1"), None, Language::Chinese),
        (Some("zh;q=nonsense, de, *"), None, Language::English),
        (Some(""), None, Language::English),
    ];
    for (accept, cookie, expected) in cases {
        assert_eq!(negotiate(accept, cookie), expected, "{accept:?} {cookie:?}");
    }
}

//! The form's lines: what is ordered and how many, with buttons to add, remove and recalculate.

use super::{
    data::{FormLine, OrderForm},
    form_errors::{Errors, at_field, described_by},
    parts::price,
};
use crate::{
    pricing::{MAX_PIECES_PER_LINE, PricedLine, format_yuan},
    texts::Texts,
    wire::Product,
};
use leptos::prelude::*;

/// The fragment `#order-lines`.
pub fn view(texts: Texts, form: &OrderForm, errors: &Errors) -> AnyView {
    let rows: Vec<_> = form
        .lines
        .iter()
        .enumerate()
        .map(|(index, typed)| line(texts, errors, index, typed))
        .collect();
    let none = form
        .lines
        .is_empty()
        .then(|| view! { <p class="quiet-text">{texts.get("form-no-lines")}</p> });
    let hint = texts.with("form-quantity-hint", &[("maximum", MAX_PIECES_PER_LINE.into())]);
    view! {
        <fieldset class="card" id="order-lines" tabindex="-1" data-fragment="">
            <legend>{texts.get("form-items")}</legend>
            <p class="hint" id="quantity-hint">
                {hint}
            </p>
            {none}
            <ul class="lines">{rows}</ul>
            {add(texts, &form.addable, errors)}
        </fieldset>
    }
    .into_any()
}

fn line(texts: Texts, errors: &Errors, index: usize, typed: &FormLine) -> AnyView {
    let id = format!("qty-{index}");
    let error = errors.at(&id);
    let has_error = error.is_some();
    // The hint is one for all lines, so it is named here rather than derived from the input's id.
    let described = ["quantity-hint".to_owned()]
        .into_iter()
        .chain(described_by(&id, false, has_error));
    let described = described.collect::<Vec<_>>().join(" ");
    let (name, picture, unit_price) = match &typed.product {
        Some(product) => (
            product.name.clone(),
            Some(product.picture.clone()),
            Some(product.price_fen),
        ),
        None => (
            texts.with("form-unknown-product", &[("sku", typed.sku.as_str().into())]),
            None,
            None,
        ),
    };
    let product = || [("product", name.as_str().into())];
    let picture = picture.map(|path| view! { <img class="picture small" src=path alt="" width="56" height="56" /> });
    let each = unit_price.map(|fen| texts.with("form-each", &[("amount", format_yuan(fen).into())]));
    let hidden_price = unit_price
        .map(|fen| view! { <input type="hidden" name="unit_price_fen" value=fen.to_string() autocomplete="off" /> });
    view! {
        <li class="line" data-line="" data-sku=typed.sku.clone()>
            <input type="hidden" name="sku" value=typed.sku.clone() autocomplete="off" />
            {hidden_price}
            {picture}
            <div class="line-text">
                <strong>{name.clone()}</strong>
                <span class="quiet-text">{each}</span>
            </div>
            <div class="line-quantity">
                <label for=id.clone()>
                    {texts.get("form-quantity")}
                    <span class="visually-hidden">{texts.with("form-quantity.label", &product())}</span>
                </label>
                <input
                    id=id.clone()
                    name="qty"
                    type="text"
                    inputmode="numeric"
                    autocomplete="off"
                    value=typed.qty.clone()
                    aria-required="true"
                    aria-invalid=has_error.then_some("true")
                    aria-describedby=described
                />
            </div>
            <output class="price" data-line-total="" for=id.clone()>
                {line_total(texts, typed)}
            </output>
            <button
                type="submit"
                class="quiet"
                name="edit"
                value=format!("remove:{}", typed.sku)
                aria-label=texts.with("form-remove.label", &product())
            >
                {texts.get("form-remove")}
            </button>
            {at_field(&id, error)}
        </li>
    }
    .into_any()
}

/// What the line costs as far as the quantity is a number; the same sum that the browser shows while typing.
fn line_total(texts: Texts, typed: &FormLine) -> Option<String> {
    let unit_price_fen = typed.product.as_ref()?.price_fen;
    let quantity = typed
        .qty
        .trim()
        .parse()
        .ok()
        .filter(|quantity| (1..=MAX_PIECES_PER_LINE).contains(quantity))?;
    PricedLine {
        unit_price_fen,
        quantity,
    }
    .total_fen()
    .map(|fen| price(texts, fen))
}

fn add(texts: Texts, addable: &[Product], errors: &Errors) -> AnyView {
    let error = errors.at("add-sku");
    let has_error = error.is_some();
    let options: Vec<_> = addable
        .iter()
        .map(|product| {
            let text = format!("{} – {}", product.name, price(texts, product.price_fen));
            view! { <option value=product.sku.clone()>{text}</option> }
        })
        .collect();
    view! {
        <div class="add-line">
            <label for="add-sku">{texts.get("form-add")}</label>
            {at_field("add-sku", error)}
            <div class="together">
                <select
                    id="add-sku"
                    name="add_sku"
                    autocomplete="off"
                    aria-invalid=has_error.then_some("true")
                    aria-describedby=described_by("add-sku", false, has_error)
                >
                    <option value="">{texts.get("form-add.choose")}</option>
                    {options}
                </select>
                <button type="submit" class="quiet" name="edit" value="add" id="add-line">
                    {texts.get("form-add.button")}
                </button>
            </div>
        </div>
    }
    .into_any()
}

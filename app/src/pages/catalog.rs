//! `/`: the products.

use super::parts::{form_path, price};
use crate::{texts::Texts, wire::Product};
use leptos::prelude::*;

/// From how many pieces on the page no longer counts them.
const FEW: i64 = 20;

/// The page.
pub fn view(texts: Texts, products: Vec<Product>) -> AnyView {
    let list = if products.is_empty() {
        view! { <p class="empty">{texts.get("catalog-empty")}</p> }.into_any()
    } else {
        view! {
            <ul class="products">{products.into_iter().map(|product| card(texts, product)).collect_view()}</ul>
        }
        .into_any()
    };
    view! {
        <div class="hero">
            <h1>{texts.get("catalog-heading")}</h1>
            <p class="lead">{texts.get("catalog-intro")}</p>
        </div>
        {list}
    }
    .into_any()
}

fn card(texts: Texts, product: Product) -> AnyView {
    let label = texts.with("catalog-order.label", &[("product", product.name.as_str().into())]);
    let (kind, availability) = availability(texts, &product);
    let order = (product.on_sale && product.available > 0).then(|| {
        view! {
            <a class="button" href=form_path(&product.sku) aria-label=label>
                {texts.get("catalog-order")}
            </a>
        }
    });
    view! {
        <li class="card product" data-sku=product.sku.clone()>
            <img class="picture" src=product.picture alt="" width="160" height="160" />
            <div class="product-text">
                <h2>{product.name}</h2>
                <p>{product.description}</p>
            </div>
            <p class="product-price">
                <span class="price">{price(texts, product.price_fen)}</span>
                <span class="availability" data-availability=kind>
                    {availability}
                </span>
            </p>
            {order}
        </li>
    }
    .into_any()
}

fn availability(texts: Texts, product: &Product) -> (&'static str, String) {
    if !product.on_sale {
        ("off-sale", texts.get("availability-off-sale"))
    } else if product.available <= 0 {
        ("sold-out", texts.get("availability-sold-out"))
    } else if product.available < FEW {
        (
            "few",
            texts.with("availability-few", &[("count", product.available.into())]),
        )
    } else {
        ("in-stock", texts.get("availability-in-stock"))
    }
}

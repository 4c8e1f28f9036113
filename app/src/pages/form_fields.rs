//! The receiver's fields. Each echoes what was typed through `value=`, which is escaped.

use super::{
    data::OrderForm,
    form_errors::{Errors, at_field, described_by},
};
use crate::texts::Texts;
use leptos::prelude::*;

/// One text field.
struct Field {
    id: &'static str,
    autocomplete: &'static str,
    kind: &'static str,
    has_hint: bool,
    optional: bool,
    value: String,
}

/// Name, telephone, address and note.
pub fn receiver(texts: Texts, form: &OrderForm, errors: &Errors) -> AnyView {
    let field = |id, autocomplete, value: &String| Field {
        id,
        autocomplete,
        kind: "text",
        has_hint: false,
        optional: false,
        value: value.clone(),
    };
    view! {
        <fieldset class="card">
            <legend>{texts.get("form-receiver")}</legend>
            {text_field(texts, errors, field("name", "name", &form.name))}
            {text_field(texts, errors, Field { kind: "tel", has_hint: true, ..field("phone", "tel", &form.phone) })}
            {text_field(
                texts,
                errors,
                Field { has_hint: true, ..field("address", "street-address", &form.address) },
            )}
            {text_field(texts, errors, Field { optional: true, ..field("note", "off", &form.note) })}
        </fieldset>
    }
    .into_any()
}

fn text_field(texts: Texts, errors: &Errors, field: Field) -> AnyView {
    let id = field.id;
    let error = errors.at(id);
    let has_error = error.is_some();
    let hint = field.has_hint.then(|| {
        view! {
            <p class="hint" id=format!("{id}-hint")>
                {texts.get(&format!("form-{id}.hint"))}
            </p>
        }
    });
    let optional = field
        .optional
        .then(|| view! { <span class="optional">{texts.get("form-note.optional")}</span> });
    view! {
        <div class="field">
            <label for=id>{texts.get(&format!("form-{id}"))} {optional}</label>
            {hint}
            {at_field(id, error)}
            <input
                id=id
                name=id
                type=field.kind
                value=field.value
                autocomplete=field.autocomplete
                aria-required=(!field.optional).then_some("true")
                aria-invalid=has_error.then_some("true")
                aria-describedby=described_by(id, field.has_hint, has_error)
            />
        </div>
    }
    .into_any()
}

//! What the pages say, in both languages: Fluent messages, embedded in the binary.
//!
//! A message that is missing, or that lacks a variable, shows as `⟦name⟧`: a test renders every page in every state and allows
//! no such mark, so none of them reaches a buyer.

use crate::pages::data::Language;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use std::{cmp::Reverse, sync::LazyLock};

type Bundle = FluentBundle<FluentResource>;

static ENGLISH_BUNDLE: LazyLock<Bundle> = LazyLock::new(|| bundle("en", include_str!("../messages/en.ftl")));
static CHINESE_BUNDLE: LazyLock<Bundle> = LazyLock::new(|| bundle("zh", include_str!("../messages/zh.ftl")));

/// The texts of one language.
#[derive(Clone, Copy, Debug)]
pub struct Texts(Language);

impl Texts {
    /// The texts of this language.
    pub fn of(language: Language) -> Self {
        Self(language)
    }

    /// The language's tag, as `<html lang>` and `Content-Language` want it.
    pub fn tag(self) -> &'static str {
        match self.0 {
            Language::English => "en",
            Language::Chinese => "zh-CN",
        }
    }

    /// A text without variables: `id`, or `id.attribute`.
    pub fn get(self, id: &str) -> String {
        self.with(id, &[])
    }

    /// A text with its variables filled in: `id`, or `id.attribute`.
    pub fn with(self, id: &str, values: &[(&'static str, FluentValue<'_>)]) -> String {
        self.find_with(id, values).unwrap_or_else(|| format!("⟦{id}⟧"))
    }

    /// A text whose name is made from data, if there is one.
    pub fn find(self, id: &str) -> Option<String> {
        self.find_with(id, &[])
    }

    fn find_with(self, id: &str, values: &[(&'static str, FluentValue<'_>)]) -> Option<String> {
        let bundle = match self.0 {
            Language::English => &*ENGLISH_BUNDLE,
            Language::Chinese => &*CHINESE_BUNDLE,
        };
        let pattern = match id.split_once('.') {
            Some((message, attribute)) => bundle.get_message(message)?.get_attribute(attribute)?.value(),
            None => bundle.get_message(id)?.value()?,
        };
        let arguments: FluentArgs<'_> = values.iter().cloned().collect();
        let mut errors = Vec::new();
        let text = bundle.format_pattern(pattern, Some(&arguments), &mut errors);
        errors.is_empty().then(|| text.into_owned())
    }
}

/// Which language to answer in: the one that the buyer chose, else the best of what the browser accepts, else English.
///
/// `cookie` is the value that `POST /language` stored: `en` or `zh`.
pub fn negotiate(accept_language: Option<&str>, cookie: Option<&str>) -> Language {
    match cookie {
        Some("en") => return Language::English,
        Some("zh") => return Language::Chinese,
        _ => {}
    }
    let ranges = accept_language
        .unwrap_or_default()
        .split(',')
        .filter_map(weighed_language);
    ranges
        .min_by_key(|(weight, _)| Reverse(*weight))
        .map_or(Language::English, |(_, language)| language)
}

/// One range of `Accept-Language` as its weight in thousandths and our language for it; none when we do not speak it or the
/// browser refuses it with a weight of 0. (The crate that Fluent offers for this ignores the weights.)
fn weighed_language(range: &str) -> Option<(u16, Language)> {
    let mut parts = range.split(';').map(str::trim);
    let language = match parts.next()?.split('-').next()?.to_ascii_lowercase().as_str() {
        "en" => Language::English,
        "zh" => Language::Chinese,
        _ => return None,
    };
    let weight = match parts.find_map(|part| part.strip_prefix("q=")) {
        Some(weight) => weight
            .parse::<f32>()
            .ok()
            .filter(|weight| (0.0..=1.0).contains(weight))?,
        None => 1.0,
    };
    let thousandths = (weight * 1000.0) as u16;
    (thousandths > 0).then_some((thousandths, language))
}

/// A file of messages as a bundle. Whatever cannot be read is left out and then shows as missing.
fn bundle(language: &str, source: &str) -> Bundle {
    let resource = FluentResource::try_new(source.to_owned()).unwrap_or_else(|(resource, _errors)| resource);
    let mut bundle = Bundle::new_concurrent(vec![language.parse().unwrap_or_default()]);
    // The marks that isolate a variable's direction would end up in titles and in copied order numbers.
    bundle.set_use_isolating(false);
    bundle.add_resource_overriding(resource);
    bundle
}

#[cfg(test)]
mod tests;

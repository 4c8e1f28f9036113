//! Reading a page as a browser would: its fields, its notices, its cookies.

use super::client::Reply;

/// The value of the first input of that name, as a browser would send it.
pub fn field(page: &str, name: &str) -> String {
    let at = page
        .find(&format!("name=\"{name}\""))
        .unwrap_or_else(|| panic!("a field {name} in {page}"));
    attribute(&page[at..], "value").unwrap_or_else(|| panic!("a value of {name} in {page}"))
}

/// What the page's notice says.
pub fn notice(page: &str) -> String {
    attribute(page, "data-notice").unwrap_or_default()
}

/// What a page says that only says something.
pub fn message(page: &str) -> String {
    attribute(page, "data-message").unwrap_or_default()
}

/// The text of the first element with that id.
pub fn text_of(page: &str, id: &str) -> String {
    let at = page
        .find(&format!("id=\"{id}\""))
        .unwrap_or_else(|| panic!("an element {id} in {page}"));
    let rest = &page[at..];
    let text = &rest[rest.find('>').expect("a tag's end") + 1..];
    unescaped(&text[..text.find('<').expect("an element's end")])
}

/// The first value of an attribute from here on.
fn attribute(page: &str, name: &str) -> Option<String> {
    let start = format!(" {name}=\"");
    let value = &page[page.find(&start)? + start.len()..];
    Some(unescaped(&value[..value.find('"')?]))
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#x27;", "'")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

/// What an answer sets cookies to: name and value.
pub fn cookies_set(reply: &Reply) -> Vec<(String, String)> {
    reply
        .headers
        .get_all("set-cookie")
        .iter()
        .map(|cookie| {
            let cookie = cookie.to_str().expect("a text");
            let (name, value) = cookie
                .split(';')
                .next()
                .and_then(|pair| pair.split_once('='))
                .expect("a name and a value");
            (name.to_owned(), value.to_owned())
        })
        .collect()
}

/// Those cookies as a browser would send them.
pub fn cookie_header(cookies: &[(String, String)]) -> String {
    let pairs: Vec<_> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("; ")
}

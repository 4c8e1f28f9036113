//! The cross-site guard: a write must come from a page of this shop or from something that is no browser.

use super::{AppState, reply};
use crate::problem::{Problem, ProblemKind};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, Method, Uri, header},
    middleware::Next,
    response::Response,
};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses unsafe methods from other sites.
pub async fn cross_site(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let host = host_of(request.headers(), request.uri());
    if safe || is_same_site(request.headers(), host.as_deref(), state.settings.public_host()) {
        return next.run(request).await;
    }
    reply::problem(&Problem::new(
        ProblemKind::CrossSiteRequest,
        "Only a page of this shop may send this.",
    ))
}

fn host_of(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    host.or_else(|| uri.authority().map(|authority| authority.as_str()))
        .map(str::to_ascii_lowercase)
}

/// Browsers say by `Sec-Fetch-Site` where a request comes from; older ones by `Origin`. What sends neither is no browser and
/// carries no cookie that somebody else could borrow.
fn is_same_site(headers: &HeaderMap, host: Option<&str>, public_host: Option<&str>) -> bool {
    if let Some(site) = headers.get(SEC_FETCH_SITE) {
        return matches!(site.as_bytes(), b"same-origin" | b"none");
    }
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    // Parsed, never compared by beginning: `http://shop.example.evil.example` begins like ours. `null` has no host.
    let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
    let Some(origin_host) = origin
        .as_ref()
        .and_then(Uri::authority)
        .map(|authority| authority.as_str().to_ascii_lowercase())
    else {
        return false;
    };
    Some(origin_host.as_str()) == host || Some(origin_host.as_str()) == public_host
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn allowed(pairs: &[(&'static str, &'static str)], host: &str) -> bool {
        let headers: HeaderMap = pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        is_same_site(&headers, Some(host), Some("shop.example"))
    }

    #[test]
    fn a_page_of_this_shop_may_write_by_whatever_name_it_was_reached() {
        for host in ["localhost:3000", "127.0.0.1:3000", "192.0.2.7:3000"] {
            let origin: &'static str = Box::leak(format!("http://{host}").into_boxed_str());
            assert!(allowed(&[("origin", origin)], host));
        }
        assert!(allowed(&[("origin", "https://shop.example")], "10.0.0.1:3000"));
        assert!(allowed(&[("sec-fetch-site", "same-origin")], "localhost:3000"));
        assert!(allowed(&[], "localhost:3000"));
    }

    #[test]
    fn a_page_of_another_site_may_not() {
        for pairs in [
            [("sec-fetch-site", "cross-site"), ("origin", "http://localhost:3000")],
            [("sec-fetch-site", "same-site"), ("origin", "http://localhost:3000")],
            [("origin", "null"), ("x-other", "")],
            [("origin", "http://localhost:3000.evil.example"), ("x-other", "")],
            [("origin", "http://localhost:3001"), ("x-other", "")],
            [("origin", "not an origin"), ("x-other", "")],
        ] {
            assert!(!allowed(&pairs, "localhost:3000"), "{pairs:?}");
        }
    }
}

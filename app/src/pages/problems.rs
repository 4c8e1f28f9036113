//! `/problems` and `/problems/{slug}`: what the types of the API's errors mean, at the addresses that the errors name.

use super::data::ProblemType;
use crate::texts::Texts;
use leptos::prelude::*;

/// The browser's tab of one type's page.
pub fn title(texts: Texts, problem: ProblemType) -> String {
    texts.get(&format!("problem-{}", problem.slug))
}

/// All types, and how long keys live.
pub fn list(texts: Texts, types: Vec<ProblemType>) -> AnyView {
    let rows: Vec<_> = types
        .into_iter()
        .map(|problem| {
            view! {
                <li>
                    <a href=format!("/problems/{}", problem.slug)>{title(texts, problem)}</a>
                    <code class="quiet-text">{problem.slug}</code>
                    {status(texts, problem)}
                </li>
            }
        })
        .collect();
    view! {
        <div class="prose">
            <h1>{texts.get("problems-heading")}</h1>
            <p class="lead">{texts.get("problems-intro")}</p>
            <section aria-labelledby="keys">
                <h2 id="keys">{texts.get("problems-keys-heading")}</h2>
                <p>{texts.get("problems-keys-first")}</p>
                <p>{texts.get("problems-keys-kept")}</p>
                <p>{texts.get("problems-keys-after")}</p>
            </section>
            <section aria-labelledby="retry-after">
                <h2 id="retry-after">{texts.get("problems-retry-heading")}</h2>
                <p>{texts.get("problems-retry-text")}</p>
            </section>
            <section aria-labelledby="types">
                <h2 id="types">{texts.get("problems-list-heading")}</h2>
                <ul class="card problem-list" id="problem-types">
                    {rows}
                </ul>
            </section>
        </div>
    }
    .into_any()
}

/// One type.
pub fn one(texts: Texts, problem: ProblemType) -> AnyView {
    view! {
        <article class="prose" id="problem" data-problem=problem.slug>
            <h1>{title(texts, problem)}</h1>
            <p class="problem-head">
                {status(texts, problem)} <code class="quiet-text">{problem.slug}</code>
            </p>
            <div class="card">
                <h2>{texts.get("problem-meaning")}</h2>
                <p>{texts.get(&format!("problem-{}.meaning", problem.slug))}</p>
                <h2>{texts.get("problem-action")}</h2>
                <p>{texts.get(&format!("problem-{}.action", problem.slug))}</p>
            </div>
            <p>
                <a href="/problems">{texts.get("problem-all")}</a>
            </p>
        </article>
    }
    .into_any()
}

fn status(texts: Texts, problem: ProblemType) -> AnyView {
    let text = texts.with("problems-status", &[("status", problem.status.to_string().into())]);
    view! { <span class="badge">{text}</span> }.into_any()
}

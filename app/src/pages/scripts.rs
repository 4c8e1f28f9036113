//! Where the browser finds the stylesheet and the islands' code.
//!
//! Leptos' own `HydrationScripts` puts the nonce of its `modulepreload` into `crossorigin`, so a policy with `strict-dynamic`
//! refuses that link and says so in the console; its script also carries islands within islands, which this shop has not.
//! The names follow its conventions: `hash.txt` beside the executable names the hashes of the files in the package directory.

use leptos::{config::LeptosOptions, nonce::use_nonce, prelude::*};

/// Path of the stylesheet.
pub fn stylesheet_path(options: &LeptosOptions) -> String {
    format!("{}.css", stem(options, "css", ""))
}

/// The links and the script that bring the islands to life. The module is fetched while the page is parsed and runs after it.
pub fn browser_code(options: &LeptosOptions) -> AnyView {
    let script = format!("{}.js", stem(options, "js", ""));
    let wasm = format!("{}.wasm", stem(options, "wasm", "_bg"));
    let loader = format!(
        "import start, * as code from {script:?};\n\
         await start({{ module_or_path: {wasm:?} }});\n\
         code.hydrate();\n\
         for (const island of document.querySelectorAll('leptos-island')) code[island.dataset.component]?.(island);"
    );
    let nonce = use_nonce();
    view! {
        <link rel="modulepreload" href=script nonce=nonce.clone() />
        <link rel="preload" href=wasm r#as="fetch" r#type="application/wasm" crossorigin="anonymous" />
        <script type="module" nonce=nonce>
            {loader}
        </script>
    }
    .into_any()
}

/// Path of a file of the package without its extension, with its hash when files are hashed, else with `unhashed`.
fn stem(options: &LeptosOptions, kind: &str, unhashed: &str) -> String {
    let name = format!("/{}/{}", options.site_pkg_dir, options.output_name);
    if !options.hash_files {
        return name + unhashed;
    }
    match hash_of(options, kind) {
        Some(hash) => format!("{name}.{hash}"),
        None => name,
    }
}

/// The hash of one kind of file: `js`, `wasm` or `css`.
fn hash_of(options: &LeptosOptions, kind: &str) -> Option<String> {
    let executable = std::env::current_exe().ok()?;
    let lines = std::fs::read_to_string(executable.parent()?.join(options.hash_file.as_ref())).ok()?;
    hash_in(&lines, kind).map(str::to_owned)
}

fn hash_in<'a>(lines: &'a str, kind: &str) -> Option<&'a str> {
    lines.lines().find_map(|line| {
        let (file, hash) = line.split_once(':')?;
        (file.trim() == kind).then(|| hash.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_hash_file_or_do_without_one() {
        let lines = "js: abc_1\nwasm: def-2\r\ncss:ghi\n";
        assert_eq!(
            ["js", "wasm", "css", "map"].map(|kind| hash_in(lines, kind)),
            [Some("abc_1"), Some("def-2"), Some("ghi"), None]
        );
        let options = LeptosOptions::builder().output_name("oncemart").build();
        assert_eq!(stylesheet_path(&options), "/pkg/oncemart.css");
        assert_eq!(stem(&options, "wasm", "_bg"), "/pkg/oncemart_bg");
    }
}

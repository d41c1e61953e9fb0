//! The lists of pictures: each page and each mail stands in the list of a browser test, which takes a picture of each state.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{
    console_browser, console_events_browser, console_refusals_browser, console_signups_browser,
    language_browser, page_browser,
};

/// Templates, each with the states of which a test takes pictures.
pub(crate) type Pictures = [(&'static str, &'static [&'static str])];

/// The lists of all tests. Each test checks that it has taken the pictures of its list and no other.
const LISTS: [&Pictures; 10] = [
    page_browser::PAGES,
    page_browser::GONE,
    console_browser::PICTURES,
    console_events_browser::PICTURES,
    console_signups_browser::PICTURES,
    console_signups_browser::SUMMARY,
    console_refusals_browser::SIGN_INS,
    console_refusals_browser::EVENTS,
    page_browser::FAMILY,
    language_browser::PICTURES,
];

/// Adds the templates below a folder to `found`, each with its text, by their paths.
fn templates(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            templates(&path, root, found);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// A page is a template that extends another one and is not extended itself.
#[test]
fn every_page_and_every_mail_has_a_picture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let mut all = vec![];
    templates(&root, &root, &mut all);
    let extended =
        |text: &str| Some(text.strip_prefix("{% extends \"")?.split('"').next().unwrap().to_owned());
    let layouts: BTreeSet<_> = all.iter().filter_map(|(_, text)| extended(text)).collect();
    let pages = all.iter().filter(|(name, text)| extended(text).is_some() && !layouts.contains(name));
    let pages: BTreeSet<_> = pages.map(|(name, _)| name.as_str()).collect();
    assert!(pages.len() > 30, "{pages:?}");
    let listed = LISTS.into_iter().flatten().map(|(template, _)| *template).collect();
    assert_eq!(pages, listed);
}

#[test]
fn no_two_pictures_have_one_name() {
    let mut names = BTreeSet::new();
    for name in LISTS.into_iter().flatten().flat_map(|(_, states)| *states) {
        assert!(names.insert(name), "{name}");
    }
}

//! The JSON of a page of a list, with links to the neighbouring pages.

use serde::Serialize;
use signup_core::{Listed, Position};

/// A page of a list.
#[derive(Debug, Serialize)]
pub(crate) struct Page<T> {
    data: Vec<T>,
    links: Links,
    meta: Meta,
}

#[derive(Debug, Serialize)]
struct Links {
    // Always null: cursors lead only to the previous and the next page.
    first: Option<String>,
    last: Option<String>,
    prev: Option<String>,
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct Meta {
    path: String,
    per_page: u32,
    next_cursor: Option<String>,
    prev_cursor: Option<String>,
}

impl<T> Page<T> {
    /// Creates the JSON of a page of the list at `path`. The links keep the page length and the `filters`
    /// that are given.
    pub(crate) fn new<'a, R>(
        page: &'a signup_core::Page<R>,
        to_json: impl Fn(&'a R) -> T,
        path: String,
        per_page: u32,
        filters: impl IntoIterator<Item = Option<(&'static str, String)>>,
    ) -> Self
    where
        R: Listed,
        Position<R::Key>: ToString,
    {
        let filters: Vec<_> = filters.into_iter().flatten().collect();
        let [next_cursor, prev_cursor] =
            [&page.next, &page.previous].map(|position| position.as_ref().map(ToString::to_string));
        let link = |cursor: &Option<String>| {
            let cursor = cursor.clone()?;
            let limit = ("per_page", per_page.to_string());
            let query: Vec<_> =
                [limit].into_iter().chain(filters.iter().cloned()).chain([("cursor", cursor)]).collect();
            // Never fails: pairs of texts have a query string.
            let query = serde_urlencoded::to_string(query).ok()?;
            Some(format!("{path}?{query}"))
        };
        let links = Links { first: None, last: None, prev: link(&prev_cursor), next: link(&next_cursor) };
        let data = page.items.iter().map(to_json).collect();
        Self { data, links, meta: Meta { path, per_page, next_cursor, prev_cursor } }
    }
}

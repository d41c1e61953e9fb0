//! Walks through the pages of a list.

use super::Session;
use crate::activity::Activity;
use crate::coverage::EventCoverage;
use crate::error::Result;
use crate::event::Event;
use crate::signup::Signup;
use crate::store::{
    ActivityQuery, CoverageQuery, EventQuery, Listed, Page, Position, SignupQuery, VolunteerQuery,
};
use crate::volunteer::Volunteer;

/// A query of a list that a session reads page by page.
pub trait PageQuery: Clone + Send + Sync {
    /// The records of the list.
    type Item: Listed;

    /// Reads the page that the query selects.
    fn read(self, session: &Session) -> impl Future<Output = Result<Page<Self::Item>>> + Send;

    /// Returns the query for the page beside a position.
    #[must_use]
    fn beside(self, position: Position<<Self::Item as Listed>::Key>) -> Self;
}

/// A walk through the pages of a list that a query selects, from [`Session::pages`].
#[derive(Debug)]
pub struct Pages<Query> {
    session: Session,
    /// `None` after the last page.
    next: Option<Query>,
}

impl<Query: PageQuery> Pages<Query> {
    /// Reads the next page. Returns `None` after the last one.
    ///
    /// # Errors
    /// Returns the errors of the method that reads one page of the list. After an error, the next call reads the same page again.
    ///
    /// See [`Session::pages`] for an example.
    pub async fn next(&mut self) -> Result<Option<Page<Query::Item>>> {
        let Some(query) = &self.next else { return Ok(None) };
        let page = query.clone().read(&self.session).await?;
        self.next = page.next.clone().and_then(|next| self.next.take().map(|query| query.beside(next)));
        Ok(Some(page))
    }
}

macro_rules! page_queries {
    ($($query:ty => $item:ty, $method:ident;)*) => {$(
        impl PageQuery for $query {
            type Item = $item;

            async fn read(self, session: &Session) -> Result<Page<$item>> {
                session.$method(self).await
            }

            fn beside(self, position: Position<<$item as Listed>::Key>) -> Self {
                self.at(position)
            }
        }
    )*};
}

page_queries! {
    EventQuery => Event, events;
    CoverageQuery => EventCoverage, coverages;
    SignupQuery => Signup, signups;
    VolunteerQuery => Volunteer, volunteers;
    ActivityQuery => Activity, activity;
}

impl Session {
    /// Returns a walk through the pages of a list, from the page of `query` to the last page: of [events](Self::events), of
    /// [coverage](Self::coverages), of [sign-ups](Self::signups), of [volunteers](Self::volunteers) or of
    /// [activity](Self::activity).
    ///
    /// A record that exists throughout the walk is on exactly one page, even if others are created meanwhile. The exception is a
    /// record that moves in the list, or leaves the filter, during the walk.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::EventQuery;
    ///
    /// let mut titles = Vec::new();
    /// let mut pages = session.pages(EventQuery::new());
    /// while let Some(page) = pages.next().await? {
    ///     titles.extend(page.items.iter().map(|event| event.title.to_string()));
    /// }
    /// assert_eq!(titles, ["Food drive"]);
    /// # Ok(()) }) }
    /// ```
    pub fn pages<Query: PageQuery>(&self, query: Query) -> Pages<Query> {
        Pages { session: self.clone(), next: Some(query) }
    }
}

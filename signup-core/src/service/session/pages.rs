//! Walks through the pages of a list.

use super::Session;
use crate::activity::Activity;
use crate::coverage::EventCoverage;
use crate::error::Result;
use crate::event::Event;
use crate::signup::Signup;
use crate::store::{ActivityQuery, CoverageQuery, EventQuery, Page, SignupQuery};
use crate::token::Scope;

/// A walk through the pages of a list that a query selects, from [`Session::event_pages`],
/// [`Session::coverage_pages`], [`Session::signup_pages`] or [`Session::activity_pages`].
#[derive(Debug)]
pub struct Pages<Query> {
    session: Session,
    /// `None` after the last page.
    next: Option<Query>,
}

impl<Query> Pages<Query> {
    pub(super) fn new(session: &Session, first: Query) -> Self {
        Self { session: session.clone(), next: Some(first) }
    }
}

impl Pages<EventQuery> {
    /// Reads the next page of events. Returns `None` after the last one.
    ///
    /// # Errors
    /// Returns the errors of [`Session::events`]. After an error, the next call reads the same page again.
    ///
    /// See [`Session::event_pages`] for an example.
    pub async fn next(&mut self) -> Result<Option<Page<Event>>> {
        let Some(query) = &self.next else { return self.session.require(Scope::EventsRead).map(|()| None) };
        let page = self.session.events(query.clone()).await?;
        self.next = page.next.and_then(|next| self.next.take().map(|query| query.at(next)));
        Ok(Some(page))
    }
}

impl Pages<CoverageQuery> {
    /// Reads the next page of coverage. Returns `None` after the last one.
    ///
    /// # Errors
    /// Returns the errors of [`Session::coverages`]. After an error, the next call reads the same page again.
    ///
    /// See [`Session::coverage_pages`] for an example.
    pub async fn next(&mut self) -> Result<Option<Page<EventCoverage>>> {
        let Some(query) = self.next else { return self.session.require(Scope::ShiftsRead).map(|()| None) };
        let page = self.session.coverages(query).await?;
        self.next = page.next.map(|next| query.at(next));
        Ok(Some(page))
    }
}

impl Pages<SignupQuery> {
    /// Reads the next page of sign-ups. Returns `None` after the last one.
    ///
    /// # Errors
    /// Returns the errors of [`Session::signups`]. After an error, the next call reads the same page again.
    ///
    /// See [`Session::signup_pages`] for an example.
    pub async fn next(&mut self) -> Result<Option<Page<Signup>>> {
        let Some(query) = &self.next else { return self.session.require(Scope::SignupsRead).map(|()| None) };
        let page = self.session.signups(query.clone()).await?;
        self.next = page.next.and_then(|next| self.next.take().map(|query| query.at(next)));
        Ok(Some(page))
    }
}

impl Pages<ActivityQuery> {
    /// Reads the next page of activity. Returns `None` after the last one.
    ///
    /// # Errors
    /// Returns the errors of [`Session::activity`]. After an error, the next call reads the same page again.
    ///
    /// See [`Session::activity_pages`] for an example.
    pub async fn next(&mut self) -> Result<Option<Page<Activity>>> {
        let Some(query) = &self.next else {
            return self.session.require(Scope::ActivityRead).map(|()| None);
        };
        let page = self.session.activity(query.clone()).await?;
        self.next = page.next.and_then(|next| self.next.take().map(|query| query.at(next)));
        Ok(Some(page))
    }
}

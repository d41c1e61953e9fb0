//! Reads of sign-ups.

use signup_core::{
    CancelledBy, OrganizationId, Shift, Side, Signup, SignupId, SignupInFull, SignupPage, SignupPosition,
    SignupQuery, SignupScope,
};

use crate::above;
use crate::tables::{SignupList, Tables};

impl Tables {
    /// Returns a sign-up of an event that is not deleted.
    pub(crate) fn signup(&self, organization: OrganizationId, id: SignupId) -> Option<&Signup> {
        self.stored_signup(organization, id).filter(|signup| !self.is_hidden(signup))
    }

    /// Returns a sign-up, also if its event is deleted.
    pub(crate) fn stored_signup(&self, organization: OrganizationId, id: SignupId) -> Option<&Signup> {
        self.signups.get(&id).filter(|signup| signup.organization == organization)
    }

    /// Returns whether the event of a sign-up is deleted.
    pub(crate) fn is_hidden(&self, signup: &Signup) -> bool {
        self.deleted_events.contains_key(&signup.event)
    }

    /// Returns the sign-ups of a list with an id above `after`, by ascending id. Those of other organizations and of deleted
    /// events are included.
    pub(crate) fn listed<'t>(
        &'t self,
        list: &SignupList,
        after: Option<SignupId>,
    ) -> impl Iterator<Item = &'t Signup> + use<'t> {
        let ids = self.signup_lists.get(list).into_iter().flat_map(move |ids| ids.range(above(after)));
        ids.filter_map(|id| self.signups.get(id))
    }

    pub(crate) fn signup_page(&self, organization: OrganizationId, query: &SignupQuery) -> SignupPage {
        let list = match (&query.email, query.scope) {
            (Some(email), _) => SignupList::Address(organization, email.key()),
            (None, Some(SignupScope::Event(event))) => SignupList::Event(event),
            (None, Some(SignupScope::Shift(shift))) => SignupList::Shift(shift),
            (None, None) => SignupList::Organization(organization),
        };
        let Some(ids) = self.signup_lists.get(&list) else { return SignupPage::new(Vec::new()) };
        let selected = |id: &SignupId| {
            let signup = self.signup(organization, *id)?;
            let is_selected = query.scope.is_none_or(|scope| is_in(signup, scope))
                && query.status.is_none_or(|status| signup.status == status);
            is_selected.then_some(signup)
        };
        let newer_than = |id| ids.range(above(Some(id))).filter_map(selected);
        let older_than = |id| ids.range(..id).rev().filter_map(selected);
        let limit = query.limit as usize;
        let signups: Vec<_> = match query.position {
            None => ids.iter().rev().filter_map(selected).take(limit).cloned().collect(),
            Some(SignupPosition { id, side: Side::Below }) => older_than(id).take(limit).cloned().collect(),
            Some(SignupPosition { id, side: Side::Above }) => {
                let mut page: Vec<_> = newer_than(id).take(limit).cloned().collect();
                page.reverse();
                page
            }
        };
        let first = signups.first().map(|first| first.id);
        let last = signups.last().map(|last| last.id);
        let mut page = SignupPage::new(signups);
        page.above = first
            .filter(|first| newer_than(*first).next().is_some())
            .map(|id| SignupPosition { id, side: Side::Above });
        page.below = last
            .filter(|last| older_than(*last).next().is_some())
            .map(|id| SignupPosition { id, side: Side::Below });
        page
    }

    pub(crate) fn signups_cancelled_by(
        &self,
        organization: OrganizationId,
        scope: SignupScope,
        by: CancelledBy,
        after: Option<SignupId>,
    ) -> impl Iterator<Item = &Signup> {
        let list = match scope {
            SignupScope::Event(event) => SignupList::Event(event),
            SignupScope::Shift(shift) => SignupList::Shift(shift),
        };
        let signups = self.listed(&list, after).filter(move |signup| signup.organization == organization);
        signups.filter(move |signup| signup.cancelled_by == Some(by))
    }

    pub(crate) fn signup_in_full(&self, organization: OrganizationId, id: SignupId) -> Option<SignupInFull> {
        let signup = self.stored_signup(organization, id)?;
        let Shift { event, .. } = self.stored_shift(organization, signup.shift)?;
        let mut full = SignupInFull::new(
            self.organizations.get(&organization)?.clone(),
            self.stored_event(organization, *event)?.clone(),
            self.stored_shift(organization, signup.shift)?.clone(),
            signup.clone(),
        );
        full.is_event_deleted = self.is_hidden(signup);
        full.shift_deleted_at = self.deleted_shifts.get(&signup.shift).copied();
        Some(full)
    }
}

fn is_in(signup: &Signup, scope: SignupScope) -> bool {
    match scope {
        SignupScope::Event(event) => signup.event == event,
        SignupScope::Shift(shift) => signup.shift == shift,
    }
}

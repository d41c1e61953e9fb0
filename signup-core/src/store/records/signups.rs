//! The lists of sign-ups, and a sign-up with what a mail about it shows.

use super::{Records, bounds, page};
use crate::id::{EventId, OrganizationId, SignupId};
use crate::signup::{CancelledBy, Signup};
use crate::store::{Side, SignupInFull, SignupPage, SignupPosition, SignupQuery, SignupScope};

fn is_in(signup: &Signup, scope: SignupScope) -> bool {
    match scope {
        SignupScope::Event(event) => signup.event == event,
        SignupScope::Shift(shift) => signup.shift == shift,
    }
}

/// The reads of sign-ups.
impl Records {
    /// Reads a page of the organization's sign-ups.
    pub fn signup_page(&self, organization: OrganizationId, query: &SignupQuery) -> SignupPage {
        let is_selected = |signup: &&Signup| {
            query.scope.is_none_or(|scope| is_in(signup, scope))
                && query.status.is_none_or(|status| signup.status == status)
                && query.email.as_ref().is_none_or(|email| signup.email == *email)
        };
        let newest_first = self.signups.values().rev();
        let owned =
            newest_first.filter(|signup| signup.organization == organization && !self.is_hidden(signup));
        let list: Vec<_> = owned.filter(is_selected).collect();
        let (start, end) = bounds(
            list.len(),
            query.limit as usize,
            query.position.map(|position| {
                let above = list.partition_point(|signup| signup.id > position.id);
                let at_or_above = list.partition_point(|signup| signup.id >= position.id);
                (position.side, above, at_or_above)
            }),
        );
        let signups: Vec<_> = list[start..end].iter().copied().cloned().collect();
        let beside = |signup: &Signup, side| SignupPosition { id: signup.id, side };
        SignupPage {
            above: signups.first().filter(|_| start > 0).map(|first| beside(first, Side::Above)),
            below: signups.last().filter(|_| end < list.len()).map(|last| beside(last, Side::Below)),
            signups,
        }
    }

    /// Lists the event's sign-ups: at most `limit` with an id above `after`.
    pub fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Vec<Signup> {
        let of_event = |signup: &&Signup| signup.organization == organization && signup.event == event;
        let signups = self.signups.values().filter(of_event).filter(|signup| !self.is_hidden(signup));
        page(signups.filter(|signup| after.is_none_or(|after| signup.id > after)), limit)
    }

    /// Lists the sign-ups in `scope` that `by` cancelled: at most `limit` with an id above `after`.
    pub fn signups_cancelled_by(
        &self,
        organization: OrganizationId,
        scope: SignupScope,
        by: CancelledBy,
        after: Option<SignupId>,
        limit: u32,
    ) -> Vec<Signup> {
        let signups = self.signups.values().filter(|signup| signup.organization == organization);
        let cancelled = signups.filter(|signup| is_in(signup, scope) && signup.cancelled_by == Some(by));
        page(cancelled.filter(|signup| after.is_none_or(|after| signup.id > after)), limit)
    }

    /// Reads a sign-up with everything that a mail about it shows.
    pub fn signup_in_full(&self, organization: OrganizationId, id: SignupId) -> Option<SignupInFull> {
        let signup = self.signups.get(&id).filter(|signup| signup.organization == organization)?;
        let (event, shift) = self.stored_shift(organization, signup.shift)?;
        Some(SignupInFull {
            organization: self.organization(organization)?,
            event: event.event.clone(),
            is_event_deleted: event.deleted_at.is_some(),
            shift: shift.shift.clone(),
            shift_deleted_at: shift.deleted_at,
            signup: signup.clone(),
        })
    }
}

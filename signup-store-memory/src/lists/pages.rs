//! The lists of sign-ups and of activity, and those of the outbox.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Included, Unbounded};

use signup_core::{
    Activity, ActivityId, ActivityQuery, Deleted, Notice, NoticeId, NoticeQuery, OrganizationId, Page,
    Position, Record, RecordKey, Side, Signup, SignupId, SignupQuery, Volunteer, VolunteerKey,
    VolunteerQuery,
};

use super::{SignupList, SignupPlace, beyond, id_page};
use crate::tables::Tables;

impl Tables {
    pub(crate) fn signups(&self, organization: OrganizationId, query: &SignupQuery) -> Page<Signup> {
        let list = match (&query.email, query.shift, query.event) {
            (Some(email), ..) => SignupList::Address(organization, email.key().to_owned()),
            (None, Some(shift), _) => SignupList::Shift(organization, shift),
            (None, None, Some(event)) => SignupList::Event(organization, event),
            (None, None, None) => SignupList::Organization(organization),
        };
        let read = |id: SignupId| match self.read(&RecordKey::Signup(organization, id), query.deleted) {
            Some(Record::Signup(signup)) if query.selects(&signup) => Some(*signup),
            _ => None,
        };
        let only = query.id.map(|id| BTreeSet::from([Reverse(id)]));
        let list = only.as_ref().or_else(|| self.lists.signups.get(&list));
        id_page(list, (query.position, query.limit), read)
    }

    pub(crate) fn volunteers(&self, organization: OrganizationId, query: &VolunteerQuery) -> Page<Volunteer> {
        // The keys of addresses are ASCII.
        let mailboxes =
            [String::new(), "\u{7f}".to_owned()].map(|key| SignupList::Address(organization, key));
        let [first, last] = mailboxes;
        let mailboxes = self.lists.signups.range(first..last);
        let all = mailboxes.filter_map(|(_, signups)| self.volunteer(organization, query, signups));
        let all: BTreeMap<_, _> = all.map(|found| (found.key(query.is_by_name), found)).collect();
        let range = |from, to| all.range::<VolunteerKey, _>((from, to)).map(|(_, found)| found.clone());
        let limit = query.limit as usize;
        let (mut found, is_other_side, is_above): (Vec<_>, _, _) = match &query.position {
            None => (range(Unbounded, Unbounded).take(limit + 1).collect(), false, false),
            Some(Position { key, side: Side::Below }) => {
                let below = range(Excluded(key), Unbounded).take(limit + 1).collect();
                (below, range(Unbounded, Included(key)).next().is_some(), false)
            }
            Some(Position { key, side: Side::Above }) => {
                let above = range(Unbounded, Excluded(key)).rev().take(limit + 1).collect();
                (above, range(Included(key), Unbounded).next().is_some(), true)
            }
        };
        let goes_on = found.len() > limit;
        found.truncate(limit);
        if is_above {
            found.reverse();
        }
        let [above, below] = if is_above { [goes_on, is_other_side] } else { [is_other_side, goes_on] };
        let key = |volunteer: &Volunteer| volunteer.key(query.is_by_name);
        let (first, last) =
            (found.first().filter(|_| above).map(key), found.last().filter(|_| below).map(key));
        Page::new(found, first, last)
    }

    /// Returns the volunteer of these sign-ups if the query selects one of them.
    fn volunteer(
        &self,
        organization: OrganizationId,
        query: &VolunteerQuery,
        signups: &BTreeSet<SignupPlace>,
    ) -> Option<Volunteer> {
        let read = |Reverse(id): &SignupPlace| match self
            .read(&RecordKey::Signup(organization, *id), Deleted::Excluded)
        {
            Some(Record::Signup(signup)) => self.signup_in_full(*signup),
            _ => None,
        };
        let signups: Vec<_> =
            signups.iter().filter_map(read).map(|found| (found.signup, found.shift)).collect();
        let is_selected = signups.iter().any(|(signup, _)| query.selects(signup));
        Volunteer::of_signups(signups).pop().filter(|_| is_selected)
    }

    pub(crate) fn activity(&self, organization: OrganizationId, query: &ActivityQuery) -> Page<Activity> {
        let read = |id: ActivityId| match self.records.get(&RecordKey::Activity(organization, id)) {
            Some(Record::Activity(activity)) if query.selects(activity) => Some((**activity).clone()),
            _ => None,
        };
        let list = self.lists.activity.get(&(organization, query.event));
        id_page(list, (query.position, query.limit), read)
    }

    pub(crate) fn notices(&self, query: NoticeQuery, limit: u32) -> Vec<Notice> {
        let notice = |(id, owner)| match self.records.get(&RecordKey::Notice(owner, id)) {
            Some(Record::Notice(notice)) => Some(&**notice),
            _ => None,
        };
        let keys: Vec<_> = match query {
            NoticeQuery::Due { now, latest } => {
                let late = beyond((latest, NoticeId::MAX, OrganizationId::MAX));
                let now = (now, NoticeId::MAX, OrganizationId::MAX);
                let reminders = self.lists.reminders.range(..=now).map(|place| (true, *place));
                let parts = self.lists.due.iter().flat_map(|(can_wait, part)| {
                    let due = part.range(..=now).take(limit as usize);
                    let late = part.range(late).take(limit as usize);
                    due.chain(late).map(|place| (*can_wait, *place))
                });
                let mut due: Vec<_> = parts.chain(reminders.take(limit as usize)).collect();
                due.sort_unstable();
                due.into_iter().map(|(_, (_, id, owner))| (id, owner)).take(limit as usize).collect()
            }
            NoticeQuery::Queued(after) => above(&self.lists.queued, after, limit),
            NoticeQuery::Failed(after) => above(&self.lists.failed, after, limit),
            NoticeQuery::FailedOf(owner, event) => {
                let is_of = |notice: &Notice| event.is_none_or(|event| notice.event == Some(event));
                let of_owner = self.lists.failed.iter().filter(|(_, found)| *found == owner).copied();
                of_owner.filter(|key| notice(*key).is_some_and(is_of)).take(limit as usize).collect()
            }
            NoticeQuery::About(owner, email_key) => {
                let notices = self.lists.notices.get(&(owner, email_key)).into_iter().flatten();
                notices.take(limit as usize).copied().collect()
            }
        };
        keys.into_iter().filter_map(notice).cloned().collect()
    }
}

fn above(
    notices: &BTreeSet<(NoticeId, OrganizationId)>,
    after: Option<NoticeId>,
    limit: u32,
) -> Vec<(NoticeId, OrganizationId)> {
    let after = beyond((after.unwrap_or(NoticeId::NONE), OrganizationId::MAX));
    notices.range(after).take(limit as usize).copied().collect()
}

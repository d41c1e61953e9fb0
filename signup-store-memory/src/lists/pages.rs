//! The lists of sign-ups and of activity, and those of the outbox.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use signup_core::{
    Activity, ActivityId, ActivityQuery, Notice, NoticeId, NoticeQuery, OrganizationId, Page, Record,
    RecordKey, Signup, SignupId, SignupQuery,
};

use super::{SignupList, beyond, id_page};
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

    pub(crate) fn activity(&self, organization: OrganizationId, query: &ActivityQuery) -> Page<Activity> {
        let read = |id: ActivityId| match self.records.get(&RecordKey::Activity(organization, id)) {
            Some(Record::Activity(activity)) if query.selects(activity) => Some((**activity).clone()),
            _ => None,
        };
        let list = self.lists.activity.get(&(organization, query.event));
        id_page(list, (query.position, query.limit), read)
    }

    pub(crate) fn notices(&self, query: NoticeQuery, limit: u32) -> Vec<Notice> {
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
            NoticeQuery::About(owner, email_key) => {
                let notices = self.lists.notices.get(&(owner, email_key)).into_iter().flatten();
                notices.take(limit as usize).copied().collect()
            }
        };
        let notice = |(id, owner)| match self.records.get(&RecordKey::Notice(owner, id)) {
            Some(Record::Notice(notice)) => Some((**notice).clone()),
            _ => None,
        };
        keys.into_iter().filter_map(notice).collect()
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

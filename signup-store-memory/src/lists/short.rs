//! The lists without pages.

use std::cmp::Reverse;
use std::ops::Bound;

use signup_core::{
    Deleted, EventId, InvitationId, Kind, ListQuery, Membership, OrganizationId, Record, RecordKey, TokenId,
    WebhookId,
};

use crate::tables::Tables;

impl Tables {
    pub(crate) fn list(&self, query: &ListQuery) -> Vec<Record> {
        match *query {
            ListQuery::Organizations { after, limit } => {
                let after = RecordKey::Organization(after.unwrap_or(OrganizationId::NONE));
                let organizations = self.between(after, RecordKey::Organization(OrganizationId::MAX));
                organizations.take(limit as usize).cloned().collect()
            }
            ListQuery::Tokens(owner) => {
                let (none, last) = (TokenId::NONE, TokenId::MAX);
                self.between(RecordKey::Token(owner, none), RecordKey::Token(owner, last)).cloned().collect()
            }
            ListQuery::Webhooks(owner) => {
                let (none, last) = (WebhookId::NONE, WebhookId::MAX);
                let webhooks = self.between(RecordKey::Webhook(owner, none), RecordKey::Webhook(owner, last));
                webhooks.rev().cloned().collect()
            }
            ListQuery::DeletedEvents { organization, after, limit } => {
                let after = RecordKey::Event(organization, after.unwrap_or(EventId::NONE));
                let events = self.between(after, RecordKey::Event(organization, EventId::MAX));
                let is_deleted =
                    |record: &&Record| matches!(record, Record::Event(event) if event.deleted_at.is_some());
                events.filter(is_deleted).take(limit as usize).cloned().collect()
            }
            ListQuery::Invitations(owner) => {
                let (none, last) = (InvitationId::NONE, InvitationId::MAX);
                let invitations =
                    self.between(RecordKey::Invitation(owner, none), RecordKey::Invitation(owner, last));
                let mut invitations: Vec<_> = invitations.cloned().collect();
                invitations.sort_by_key(|record| match record {
                    Record::Invitation(invitation) => Reverse(Some((invitation.created_at, invitation.id))),
                    _ => Reverse(None),
                });
                invitations
            }
            ListQuery::Messages(owner, event) => {
                let event = RecordKey::Event(owner, event);
                let messages = self.children(&event).filter(|child| child.kind() == Kind::Message);
                // By ascending id.
                let mut messages: Vec<_> = messages.cloned().collect();
                messages.reverse();
                messages
            }
            ListQuery::Links(owner, ref mailbox) => {
                let digests = self.lists.links.get(&(owner, mailbox.clone())).into_iter().flatten();
                let links = digests.filter_map(|digest| self.records.get(&RecordKey::Link(owner, *digest)));
                links.cloned().collect()
            }
            ListQuery::Members(owner) => flattened(self.members(owner)),
            ListQuery::Memberships(person) => flattened(self.memberships(person)),
            ListQuery::Id(Kind::Person | Kind::Membership, _) => vec![],
            ListQuery::Id(kind, id) => {
                let key = self.records.keys().find(|key| key.kind() == kind && key.id() == Some(id));
                key.and_then(|key| self.read(key, Deleted::Included)).into_iter().collect()
            }
        }
    }

    /// Returns the records after the first key up to the last one.
    fn between(&self, after: RecordKey, last: RecordKey) -> impl DoubleEndedIterator<Item = &Record> {
        self.records.range((Bound::Excluded(after), Bound::Included(last))).map(|(_, record)| record)
    }
}

fn flattened<R: Into<Record>>(pairs: Vec<(Membership, R)>) -> Vec<Record> {
    pairs.into_iter().flat_map(|(membership, other)| [membership.into(), other.into()]).collect()
}

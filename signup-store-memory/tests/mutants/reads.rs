//! Faults in the reads and in the purge.

use std::cmp::{Ordering, Reverse};
use std::sync::{Arc, Mutex};

use signup_core::conformance;
use signup_core::store::{Wrapped, Wrapper};
use signup_core::{
    ChangeSet, CommitError, Digest, EmailAddress, EventId, EventInFull, EventPage, EventQuery, Notice,
    NoticeId, Organization, OrganizationId, Position, Question, Receipt, ShiftId, Side, Signup, SignupId,
    SignupStatus, Store, StoreError, Timestamp, Token, Write, async_trait,
};
use signup_store_memory::MemoryStore;

use crate::{mutant, organizations};

mutant! {
    /// A page lists equal starts by ascending id, but the next page starts after the last listed event in descending order.
    /// So the walk repeats events, and does not end while events are inserted.
    a_walk_that_never_ends breaks lists::a_walk_shows_each_event_once_under_inserts
        with "a walk returns no event twice"
    {
        async fn events(
            &self,
            organization: OrganizationId,
            query: &EventQuery,
        ) -> Result<EventPage, StoreError> {
            let mut page = self.0.events(organization, query).await?;
            page.events.sort_by_key(|event| (Reverse(event.dates.starts_at()), event.id));
            if let (Some(last), Some(below)) = (page.events.last(), &mut page.below) {
                *below = Position { starts_at: last.dates.starts_at(), id: last.id, side: Side::Below };
            }
            Ok(page)
        }
    }
}

mutant! {
    /// The position below a page is the position of the query.
    a_walk_that_stands_still breaks lists::a_walk_back_shows_the_same_pages with "23 events make 5 pages" {
        async fn events(
            &self,
            organization: OrganizationId,
            query: &EventQuery,
        ) -> Result<EventPage, StoreError> {
            let mut page = self.0.events(organization, query).await?;
            page.below = query.position.filter(|at| at.side == Side::Below).or(page.below);
            Ok(page)
        }
    }
}

mutant! {
    /// Questions of equal position come by descending id.
    questions_by_descending_id breaks lists::questions_come_by_position_then_by_id
        with "the questions are listed by position"
    {
        async fn questions(
            &self,
            organization: OrganizationId,
            event: EventId,
        ) -> Result<Option<Vec<Question>>, StoreError> {
            let mut questions = self.0.questions(organization, event).await?;
            questions.iter_mut().for_each(|questions| {
                questions.sort_by_key(|question| (question.position, Reverse(question.id)));
            });
            Ok(questions)
        }
    }
}

mutant! {
    /// The event in full has its questions by descending position.
    questions_in_full_by_descending_position breaks lists::questions_come_by_position_then_by_id
        with "the event in full has its questions by position"
    {
        async fn event_in_full(
            &self,
            organization: OrganizationId,
            id: EventId,
        ) -> Result<Option<EventInFull>, StoreError> {
            let mut full = self.0.event_in_full(organization, id).await?;
            full.iter_mut().for_each(|full| full.questions.reverse());
            Ok(full)
        }
    }
}

mutant! {
    /// The event with a slug has its shifts by position.
    shifts_behind_a_slug_by_position breaks lists::shifts_come_in_running_order
        with "the event with the slug has its shifts in running order"
    {
        async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>, StoreError> {
            let mut full = self.0.event_by_slug(slug).await?;
            full.iter_mut().for_each(|full| full.shifts.sort_by_key(|shift| shift.position));
            Ok(full)
        }
    }
}

mutant! {
    /// The event in full is composed of two reads.
    an_event_of_two_snapshots breaks snapshots::an_event_in_full_is_one_snapshot
        with "the questions and the shift are of one snapshot"
    {
        async fn event_in_full(
            &self,
            organization: OrganizationId,
            id: EventId,
        ) -> Result<Option<EventInFull>, StoreError> {
            let Some(mut full) = self.0.event_in_full(organization, id).await? else { return Ok(None) };
            // Waits for a commit, so that the reads differ.
            for _ in 0..1_000_000 {
                let questions = self.0.questions(organization, id).await?.unwrap_or_default();
                if questions != full.questions {
                    full.questions = questions;
                    break;
                }
                tokio::task::yield_now().await;
            }
            Ok(Some(full))
        }
    }
}

mutant! {
    /// The list of sign-ups ignores the limit.
    sign_ups_without_a_limit breaks lists::organizations_and_signups_and_notices_are_listed_by_id
        with "sign-ups up to the limit"
    {
        async fn signups(
            &self,
            organization: OrganizationId,
            event: EventId,
            after: Option<SignupId>,
            _: u32,
        ) -> Result<Vec<Signup>, StoreError> {
            self.0.signups(organization, event, after, u32::MAX).await
        }
    }
}

mutant! {
    /// The list of sign-ups ignores the event.
    sign_ups_of_every_event breaks lists::the_sign_ups_of_another_event_are_not_listed
        with "only the sign-ups of the event"
    {
        async fn signups(
            &self,
            organization: OrganizationId,
            _: EventId,
            after: Option<SignupId>,
            limit: u32,
        ) -> Result<Vec<Signup>, StoreError> {
            let query = EventQuery::new().limit(u32::MAX);
            let mut signups = vec![];
            for event in self.0.events(organization, &query).await?.events {
                signups.extend(self.0.signups(organization, event.id, after, limit).await?);
            }
            signups.sort_by_key(|signup| signup.id);
            signups.truncate(limit as usize);
            Ok(signups)
        }
    }
}

mutant! {
    /// The limit of the confirmed sign-ups counts cancelled ones.
    a_limit_before_the_cancelled_are_left_out breaks lists::the_confirmed_sign_ups_of_a_shift_are_listed_by_id
        with "the limit counts confirmed sign-ups only"
    {
        async fn confirmed_signups(
            &self,
            organization: OrganizationId,
            shift: ShiftId,
            after: Option<SignupId>,
            limit: u32,
        ) -> Result<Vec<Signup>, StoreError> {
            let Some(found) = self.0.shift(organization, shift).await? else { return Ok(vec![]) };
            let mut signups = self.0.signups(organization, found.event, after, u32::MAX).await?;
            signups.retain(|signup| signup.shift == shift);
            signups.truncate(limit as usize);
            signups.retain(|signup| signup.status == SignupStatus::Confirmed);
            Ok(signups)
        }
    }
}

mutant! {
    /// The limit of the sign-ups of an address counts those of other addresses.
    a_limit_before_other_addresses_are_left_out breaks lists::the_sign_ups_of_an_address_are_found_in_any_case
        with "the limit counts sign-ups of the address only"
    {
        async fn signups_of_address(
            &self,
            organization: OrganizationId,
            email: &EmailAddress,
            limit: u32,
        ) -> Result<Vec<Signup>, StoreError> {
            let query = EventQuery::new().limit(u32::MAX);
            let mut signups = vec![];
            for event in self.0.events(organization, &query).await?.events {
                signups.extend(self.0.signups(organization, event.id, None, limit).await?);
            }
            signups.retain(|signup| signup.email == *email);
            Ok(signups)
        }
    }
}

mutant! {
    /// The limit of the notices counts those in the other state.
    a_limit_before_the_other_notices_are_left_out breaks notices::failed_notices_are_listed_and_counted_separately
        with "the limit counts queued notices only"
    {
        async fn notices(
            &self,
            have_failed: bool,
            after: Option<NoticeId>,
            limit: u32,
        ) -> Result<Vec<Notice>, StoreError> {
            let mut notices = self.0.notices(false, after, u32::MAX).await?;
            notices.extend(self.0.notices(true, after, u32::MAX).await?);
            notices.sort_by_key(|notice| notice.id);
            notices.truncate(limit as usize);
            notices.retain(|notice| notice.failure.is_some() == have_failed);
            Ok(notices)
        }
    }
}

mutant! {
    /// The limit of the due notices counts failed ones.
    a_limit_before_failed_notices_are_left_out breaks notices::failed_notices_are_listed_and_counted_separately
        with "the limit counts due notices only"
    {
        async fn due_notices(
            &self,
            now: Timestamp,
            latest: Timestamp,
            limit: u32,
        ) -> Result<Vec<Notice>, StoreError> {
            let failed = self.0.notices(true, None, u32::MAX).await?.into_iter();
            let failed = failed.filter(|notice| notice.due_at <= now || notice.due_at > latest);
            let limit = limit.saturating_sub(u32::try_from(failed.count()).unwrap());
            self.0.due_notices(now, latest, limit).await
        }
    }
}

mutant! {
    /// The list of failed notices ignores `after`.
    failed_notices_from_the_first breaks lists::failed_notices_are_listed_by_id
        with "failed notices after the given id"
    {
        async fn notices(
            &self,
            have_failed: bool,
            after: Option<NoticeId>,
            limit: u32,
        ) -> Result<Vec<Notice>, StoreError> {
            self.0.notices(have_failed, after.filter(|_| !have_failed), limit).await
        }
    }
}

mutant! {
    /// The tokens of every organization are listed.
    tokens_of_every_organization breaks fence::no_read_sees_another_organizations_records
        with "no tokens of another organization"
    {
        async fn tokens(&self, _: OrganizationId) -> Result<Vec<Token>, StoreError> {
            let mut tokens = vec![];
            for organization in organizations() {
                tokens.extend(self.0.tokens(organization).await?);
            }
            Ok(tokens)
        }
    }
}

mutant! {
    /// Every slug finds the first organization.
    any_slug_of_an_organization breaks round_trip::each_lookup_returns_the_record_of_its_key
        with "organization by slug"
    {
        async fn organization_by_slug(&self, _: &str) -> Result<Option<Organization>, StoreError> {
            Ok(self.0.organizations(None, 1).await?.pop())
        }
    }
}

mutant! {
    /// An unknown secret finds the first sign-up.
    any_secret_of_a_sign_up breaks round_trip::each_lookup_returns_the_record_of_its_key with "sign-up by secret" {
        async fn signup_by_secret(&self, secret: &Digest) -> Result<Option<Signup>, StoreError> {
            let found = self.0.signup_by_secret(secret).await?;
            let query = EventQuery::default();
            for organization in organizations() {
                for event in self.0.events(organization, &query).await?.events {
                    let first = self.0.signups(organization, event.id, None, 1).await?.pop();
                    if found.is_none() && first.is_some() {
                        return Ok(first);
                    }
                }
            }
            Ok(found)
        }
    }
}

mutant! {
    /// The check of a working store fails.
    a_failing_check breaks round_trip::a_fresh_store_passes_its_check with "a fresh store passes its check" {
        async fn check(&self) -> Result<(), StoreError> {
            Err(StoreError::failed("checking the store", "it has no check"))
        }
    }
}

/// Purges expired receipts in the order of `compare`.
#[derive(Debug)]
struct Purge {
    inner: MemoryStore,
    receipts: Mutex<Vec<Receipt>>,
    compare: fn(&Receipt, &Receipt) -> Ordering,
}

#[async_trait]
impl Wrapper for Purge {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        for write in &change.writes {
            if let Write::InsertReceipt(receipt) = write {
                let mut receipts = self.receipts.lock().unwrap();
                receipts.retain(|former| former.key != receipt.key);
                receipts.push((**receipt).clone());
            }
        }
        self.inner.commit(change).await
    }

    async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let mut expired = self.receipts.lock().unwrap().clone();
        expired.retain(|receipt| !receipt.is_live(now));
        expired.sort_by(self.compare);
        expired.truncate(limit as usize);
        self.receipts.lock().unwrap().retain(|receipt| !expired.contains(receipt));
        for mut receipt in expired {
            receipt.expires_at = Timestamp::MIN;
            let writes = vec![Write::InsertReceipt(Box::new(receipt))];
            self.inner.commit(ChangeSet { requires: vec![], writes }).await.unwrap();
        }
        self.inner.purge_receipts(Timestamp::MIN, limit).await
    }
}

/// Runs a promise on a store that purges in the order of `compare`.
fn with_purge(compare: fn(&Receipt, &Receipt) -> Ordering, promise: impl AsyncFnOnce(Arc<dyn Store>)) {
    let purge = Purge { inner: MemoryStore::new(), receipts: Mutex::default(), compare };
    conformance::test(async || Some((Arc::new(Wrapped(purge)) as Arc<dyn Store>, ())), promise);
}

#[test]
#[should_panic(expected = "the oldest expiry goes first")]
fn a_purge_of_the_newest_first_is_caught() {
    let newest_first = |one: &Receipt, other: &Receipt| other.expires_at.cmp(&one.expires_at);
    with_purge(newest_first, conformance::receipts::a_purge_removes_the_oldest_first);
}

#[test]
#[should_panic(expected = "equal expiries go by key")]
fn a_purge_by_descending_key_is_caught() {
    let by_descending_key = |one: &Receipt, other: &Receipt| {
        one.expires_at.cmp(&other.expires_at).then_with(|| other.key.cmp(&one.key))
    };
    with_purge(by_descending_key, conformance::receipts::a_purge_removes_the_oldest_first);
}

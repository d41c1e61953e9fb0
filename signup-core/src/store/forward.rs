//! Implements [`Store`] for `Arc` and `Box` of a store.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use super::{
    ChangeSet, CommitError, EventInFull, EventPage, EventQuery, NoticeCounts, RequestCounter, Store,
    StoreError,
};
use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId, TokenId};
use crate::notice::Notice;
use crate::organization::Organization;
use crate::question::Question;
use crate::receipt::{Receipt, ReceiptKey};
use crate::secret::Digest;
use crate::shift::Shift;
use crate::signup::Signup;
use crate::text::EmailAddress;
use crate::token::Token;

/// Implements [`Store`] for each pointer type. A method that is missing here does not compile.
macro_rules! forward {
    ($($pointer:ident),*: $methods:tt) => { $(forward!(@one $pointer $methods);)* };
    (@one $pointer:ident { $(fn $method:ident($($argument:ident: $type:ty),*) -> $output:ty;)* }) => {
        #[async_trait]
        impl<T: Store + ?Sized> Store for $pointer<T> {
            $(async fn $method(&self, $($argument: $type),*) -> $output {
                (**self).$method($($argument),*).await
            })*

            fn request_counter(&self) -> Option<&dyn RequestCounter> {
                (**self).request_counter()
            }
        }
    };
}

forward! { Arc, Box: {
    fn organization(id: OrganizationId) -> Result<Option<Organization>, StoreError>;
    fn organization_by_slug(slug: &str) -> Result<Option<Organization>, StoreError>;
    fn organizations(after: Option<OrganizationId>, limit: u32) -> Result<Vec<Organization>, StoreError>;
    fn token_by_digest(digest: &Digest) -> Result<Option<(Token, Organization)>, StoreError>;
    fn token(id: TokenId) -> Result<Option<Token>, StoreError>;
    fn tokens(organization: OrganizationId) -> Result<Vec<Token>, StoreError>;
    fn event_owner(id: EventId) -> Result<Option<OrganizationId>, StoreError>;
    fn event(organization: OrganizationId, id: EventId) -> Result<Option<Event>, StoreError>;
    fn event_in_full(organization: OrganizationId, id: EventId) -> Result<Option<EventInFull>, StoreError>;
    fn events(organization: OrganizationId, query: &EventQuery) -> Result<EventPage, StoreError>;
    fn event_by_slug(slug: &str) -> Result<Option<EventInFull>, StoreError>;
    fn shifts(organization: OrganizationId, event: EventId) -> Result<Option<Vec<Arc<Shift>>>, StoreError>;
    fn shift(organization: OrganizationId, id: ShiftId) -> Result<Option<Shift>, StoreError>;
    fn questions(organization: OrganizationId, event: EventId) -> Result<Option<Vec<Question>>, StoreError>;
    fn signups(organization: OrganizationId, event: EventId, after: Option<SignupId>, limit: u32) -> Result<Vec<Signup>, StoreError>;
    fn signup(organization: OrganizationId, id: SignupId) -> Result<Option<Signup>, StoreError>;
    fn confirmed_signups(organization: OrganizationId, shift: ShiftId, after: Option<SignupId>, limit: u32) -> Result<Vec<Signup>, StoreError>;
    fn signups_of_address(organization: OrganizationId, email: &EmailAddress, limit: u32) -> Result<Vec<Signup>, StoreError>;
    fn signup_by_secret(secret: &Digest) -> Result<Option<Signup>, StoreError>;
    fn receipt(key: &ReceiptKey, now: Timestamp) -> Result<Option<Receipt>, StoreError>;
    fn notices(have_failed: bool, after: Option<NoticeId>, limit: u32) -> Result<Vec<Notice>, StoreError>;
    fn notice(id: NoticeId) -> Result<Option<Notice>, StoreError>;
    fn due_notices(now: Timestamp, latest: Timestamp, limit: u32) -> Result<Vec<Notice>, StoreError>;
    fn count_notices() -> Result<NoticeCounts, StoreError>;
    fn commit(change: ChangeSet) -> Result<(), CommitError>;
    fn purge_receipts(now: Timestamp, limit: u32) -> Result<u64, StoreError>;
    fn check() -> Result<(), StoreError>;
} }

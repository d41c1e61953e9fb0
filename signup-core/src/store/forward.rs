//! Stores that forward calls to another store: `Arc`, `Box`, and wrappers that change some of the methods.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use super::{
    ActivityQuery, ChangeSet, CommitError, Deleted, DeliveryQuery, EventInFull, EventQuery, Kind,
    NoticeCounts, NoticeQuery, Page, Purge, Record, RecordKey, RequestCounter, SignInInFull, SignupInFull,
    SignupQuery, Store, StoreError, Unique,
};
use crate::activity::Activity;
use crate::event::Event;
use crate::id::{EventId, OrganizationId, PersonId, ShiftId, SignupId, WebhookId};
use crate::invitation::Invitation;
use crate::notice::Notice;
use crate::organization::Organization;
use crate::person::{Membership, Person};
use crate::receipt::EventWithShifts;
use crate::secret::Digest;
use crate::shift::{ScheduledShift, Shift};
use crate::signup::Signup;
use crate::token::Token;
use crate::webhook::{Delivery, Webhook};

/// Implements [`Store`] for each pointer type. Defines [`Wrapper`], and its store [`Wrapped`]. A method of [`Store`]
/// that is missing in the list below is a compile error.
macro_rules! forward {
    ($($pointer:ident),*: $methods:tt) => {
        $(forward!(@pointer $pointer $methods);)*
        forward!(@wrapper $methods);
    };
    (@pointer $pointer:ident { $(fn $method:ident($($argument:ident: $type:ty),*) -> $output:ty;)* }) => {
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
    (@wrapper { $(fn $method:ident($($argument:ident: $type:ty),*) -> $output:ty;)* }) => {
        /// Changes some methods of a store. [`Wrapped`] makes a store of a wrapper.
        ///
        /// Each method of [`Store`] has a default here, which calls the same method of [`inner`](Self::inner). A
        /// wrapper implements the methods that it changes: to inject faults, to record or to measure calls. It needs no
        /// change when `Store` gets another method.
        ///
        /// ```
        /// use std::sync::atomic::{AtomicU64, Ordering};
        ///
        /// use signup_core::{ChangeSet, CommitError, NewOrganization, Service, Store, Wrapped, Wrapper, async_trait};
        /// use signup_store_memory::MemoryStore;
        ///
        /// /// Counts the commits that succeed.
        /// #[derive(Debug, Default)]
        /// struct Counting {
        ///     inner: MemoryStore,
        ///     commits: AtomicU64,
        /// }
        ///
        /// #[async_trait]
        /// impl Wrapper for Counting {
        ///     fn inner(&self) -> &dyn Store {
        ///         &self.inner
        ///     }
        ///
        ///     async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        ///         self.inner.commit(change).await?;
        ///         self.commits.fetch_add(1, Ordering::Relaxed);
        ///         Ok(())
        ///     }
        /// }
        ///
        /// # tokio::runtime::Runtime::new()?.block_on(async {
        /// let store = std::sync::Arc::new(Wrapped(Counting::default()));
        /// let service = Service::new(std::sync::Arc::clone(&store));
        /// service.admin().create_organization(NewOrganization::new("Riverside".parse()?)).await?;
        /// assert_eq!(store.0.commits.load(Ordering::Relaxed), 1);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// # })?;
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[async_trait]
        pub trait Wrapper: fmt::Debug + Send + Sync + 'static {
            /// Returns the wrapped store.
            fn inner(&self) -> &dyn Store;

            $(
                #[doc = concat!("Replaces [`Store::", stringify!($method), "`].")]
                async fn $method(&self, $($argument: $type),*) -> $output {
                    self.inner().$method($($argument),*).await
                }
            )*

            /// Replaces [`Store::request_counter`].
            fn request_counter(&self) -> Option<&dyn RequestCounter> {
                self.inner().request_counter()
            }
        }

        /// The store that a [`Wrapper`] describes.
        #[derive(Debug, Clone, Default)]
        pub struct Wrapped<W>(pub W);

        #[async_trait]
        impl<W: Wrapper> Store for Wrapped<W> {
            $(async fn $method(&self, $($argument: $type),*) -> $output {
                self.0.$method($($argument),*).await
            })*

            fn request_counter(&self) -> Option<&dyn RequestCounter> {
                self.0.request_counter()
            }
        }
    };
}

forward! { Arc, Box: {
    fn record(key: &RecordKey, deleted: Deleted) -> Result<Option<Record>, StoreError>;
    fn holder(unique: &Unique, deleted: Deleted) -> Result<Option<Record>, StoreError>;
    fn owner(kind: Kind, id: Uuid) -> Result<Option<OrganizationId>, StoreError>;
    fn organizations(after: Option<OrganizationId>, limit: u32) -> Result<Vec<Organization>, StoreError>;
    fn tokens(organization: OrganizationId) -> Result<Vec<Token>, StoreError>;
    fn events(organization: OrganizationId, query: &EventQuery) -> Result<Page<Event>, StoreError>;
    fn events_with_shifts(organization: OrganizationId, query: &EventQuery) -> Result<Page<EventWithShifts>, StoreError>;
    fn deleted_events(organization: OrganizationId, after: Option<EventId>, limit: u32) -> Result<Vec<Event>, StoreError>;
    fn event_in_full(key: &RecordKey) -> Result<Option<EventInFull>, StoreError>;
    fn event_by_slug(slug: &str) -> Result<Option<EventInFull>, StoreError>;
    fn shifts(organization: OrganizationId, event: EventId) -> Result<Option<Vec<ScheduledShift>>, StoreError>;
    fn shift_with_event(organization: OrganizationId, id: ShiftId) -> Result<Option<(Shift, Event)>, StoreError>;
    fn signups(organization: OrganizationId, query: &SignupQuery) -> Result<Page<Signup>, StoreError>;
    fn signup_in_full(organization: OrganizationId, id: SignupId) -> Result<Option<SignupInFull>, StoreError>;
    fn activity(organization: OrganizationId, query: &ActivityQuery) -> Result<Page<Activity>, StoreError>;
    fn webhooks(organization: OrganizationId) -> Result<Vec<Webhook>, StoreError>;
    fn deliveries(organization: OrganizationId, webhook: WebhookId, query: &DeliveryQuery) -> Result<Page<Delivery>, StoreError>;
    fn due_deliveries(now: Timestamp, limit: u32) -> Result<Vec<Delivery>, StoreError>;
    fn oldest_pending_delivery() -> Result<Option<Timestamp>, StoreError>;
    fn members(organization: OrganizationId) -> Result<Vec<(Membership, Person)>, StoreError>;
    fn invitations(organization: OrganizationId) -> Result<Vec<Invitation>, StoreError>;
    fn memberships(person: PersonId) -> Result<Vec<(Membership, Organization)>, StoreError>;
    fn signed_in(digest: &Digest) -> Result<Option<SignInInFull>, StoreError>;
    fn notices(query: NoticeQuery, limit: u32) -> Result<Vec<Notice>, StoreError>;
    fn count_notices() -> Result<NoticeCounts, StoreError>;
    fn commit(change: ChangeSet) -> Result<(), CommitError>;
    fn purge(purge: Purge, limit: u32) -> Result<u64, StoreError>;
    fn check() -> Result<(), StoreError>;
} }

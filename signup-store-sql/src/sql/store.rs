//! The methods of [`Store`](signup_core::Store) that are the same on either engine.

/// Implements `Store` for a type that has a `reader`, and `commit_change`, `purge_old_receipts`, `counter` and `answers` of its own.
/// `$frequent` is the module with the reads that are asked for most: [`read`](crate::sql::read), or one that keeps what it has read.
macro_rules! store {
    ($store:ty, $frequent:ident) => {
        #[async_trait]
        impl Store for $store {
            async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError> {
                $frequent::organization(self.reader(), id).await
            }

            async fn organization_by_slug(&self, slug: &str) -> Result<Option<Organization>, StoreError> {
                read::organization_by_slug(self.reader(), slug).await
            }

            async fn organizations(
                &self,
                after: Option<OrganizationId>,
                limit: u32,
            ) -> Result<Vec<Organization>, StoreError> {
                read::organizations(self.reader(), after, limit).await
            }

            async fn token_by_digest(
                &self,
                digest: &Digest,
            ) -> Result<Option<(Token, Organization)>, StoreError> {
                read::token_by_digest(self.reader(), digest).await
            }

            async fn token(&self, id: TokenId) -> Result<Option<Token>, StoreError> {
                read::token(self.reader(), id).await
            }

            async fn tokens(&self, organization: OrganizationId) -> Result<Vec<Token>, StoreError> {
                read::tokens(self.reader(), organization).await
            }

            async fn event_owner(&self, id: EventId) -> Result<Option<OrganizationId>, StoreError> {
                read::event_owner(self.reader(), id).await
            }

            async fn event(
                &self,
                organization: OrganizationId,
                id: EventId,
            ) -> Result<Option<Event>, StoreError> {
                read::event(self.reader(), organization, id).await
            }

            async fn event_in_full(
                &self,
                organization: OrganizationId,
                id: EventId,
            ) -> Result<Option<EventInFull>, StoreError> {
                read::event_in_full(self.reader(), organization, id).await
            }

            async fn events(
                &self,
                organization: OrganizationId,
                query: &EventQuery,
            ) -> Result<EventPage, StoreError> {
                $frequent::events(self.reader(), organization, query).await
            }

            async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>, StoreError> {
                $frequent::event_by_slug(self.reader(), slug).await
            }

            async fn shifts(
                &self,
                organization: OrganizationId,
                event: EventId,
            ) -> Result<Option<Vec<Shift>>, StoreError> {
                $frequent::shifts(self.reader(), organization, event).await
            }

            async fn shift(
                &self,
                organization: OrganizationId,
                id: ShiftId,
            ) -> Result<Option<Shift>, StoreError> {
                read::shift(self.reader(), organization, id).await
            }

            async fn questions(
                &self,
                organization: OrganizationId,
                event: EventId,
            ) -> Result<Option<Vec<Question>>, StoreError> {
                read::questions(self.reader(), organization, event).await
            }

            async fn signups(
                &self,
                organization: OrganizationId,
                event: EventId,
                after: Option<SignupId>,
                limit: u32,
            ) -> Result<Vec<Signup>, StoreError> {
                read::signups(self.reader(), organization, event, after, limit).await
            }

            async fn signup(
                &self,
                organization: OrganizationId,
                id: SignupId,
            ) -> Result<Option<Signup>, StoreError> {
                read::signup(self.reader(), organization, id).await
            }

            async fn confirmed_signups(
                &self,
                organization: OrganizationId,
                shift: ShiftId,
                after: Option<SignupId>,
                limit: u32,
            ) -> Result<Vec<Signup>, StoreError> {
                read::confirmed_signups(self.reader(), organization, shift, after, limit).await
            }

            async fn signups_of_address(
                &self,
                organization: OrganizationId,
                email: &EmailAddress,
                limit: u32,
            ) -> Result<Vec<Signup>, StoreError> {
                read::signups_of_address(self.reader(), organization, email, limit).await
            }

            async fn signup_by_secret(&self, secret: &Digest) -> Result<Option<Signup>, StoreError> {
                read::signup_by_secret(self.reader(), secret).await
            }

            async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Receipt>, StoreError> {
                read::receipt(self.reader(), key, now).await
            }

            async fn notices(
                &self,
                have_failed: bool,
                after: Option<NoticeId>,
                limit: u32,
            ) -> Result<Vec<Notice>, StoreError> {
                read::notices(self.reader(), have_failed, after, limit).await
            }

            async fn notice(&self, id: NoticeId) -> Result<Option<Notice>, StoreError> {
                read::notice(self.reader(), id).await
            }

            async fn due_notices(
                &self,
                now: Timestamp,
                latest: Timestamp,
                limit: u32,
            ) -> Result<Vec<Notice>, StoreError> {
                read::due_notices(self.reader(), now, latest, limit).await
            }

            async fn count_notices(&self) -> Result<NoticeCounts, StoreError> {
                read::count_notices(self.reader()).await
            }

            async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
                self.commit_change(change).await
            }

            async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
                self.purge_old_receipts(now, limit).await
            }

            fn request_counter(&self) -> Option<&dyn RequestCounter> {
                self.counter()
            }

            async fn check(&self) -> Result<(), StoreError> {
                self.answers().await
            }
        }
    };
}
pub(crate) use store;

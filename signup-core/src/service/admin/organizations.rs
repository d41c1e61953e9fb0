//! Organizations and their plans.

use jiff::Timestamp;

use super::super::Shared;
use super::Admin;
use crate::activity::{ActivityType, Actor};
use crate::error::{Error, Result};
use crate::id::{InvitationId, OrganizationId, TokenId};
use crate::input::{NewOrganization, NewToken, OrganizationPatch};
use crate::organization::Organization;
use crate::plan::Plan;
use crate::rules::{self, Decision, NewActivity, slug_base, slug_with_tail};
use crate::secret::{self, Secret, TokenText};
use crate::store::{ChangeSet, RecordKey, Refusal, Requirement, Total, Unique};
use crate::text::Name;

/// The slug base of a name without a letter or digit.
const FALLBACK: &str = "organization";

impl Admin {
    /// Creates an organization. Its slug is made of the words of its name, or of the word `organization` if the name
    /// has no letter or digit. 8 random characters follow if the name has no letter or digit, or if the slug is taken.
    ///
    /// A retry after an unknown result may create a second organization, with another slug.
    ///
    /// # Errors
    /// Returns [`Error::Contended`] if simultaneous creates take the slug before each attempt, for 10 seconds. Otherwise
    /// fails only if the store fails.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, .. }| {
    /// use signup_core::{NewOrganization, Plan};
    ///
    /// let new = NewOrganization::new("Lakeside Rowing Club".parse()?).plan(Plan::Starter);
    /// let organization = service.admin().create_organization(new).await?;
    /// assert_eq!(organization.slug, "lakeside-rowing-club");
    /// # Ok(()) }) }
    /// ```
    pub async fn create_organization(&self, new: NewOrganization) -> Result<Organization> {
        let new = &new;
        self.shared
            .commit_unrefused(&Actor::Operator, move |now| async move {
                let slug = self.shared.free_slug(&new.name, None).await?;
                let organization = organization(new, slug.clone(), now);
                let mut change = ChangeSet::default();
                change.requires.push(Requirement::Absent { unique: Unique::OrganizationSlug(slug), now });
                change.insert(organization.clone());
                let created = NewActivity::of(ActivityType::ORGANIZATION_CREATED, &organization);
                Ok(Decision::new(organization, change, [created])
                    .again_after(|refusal| matches!(refusal, Refusal::Taken(_))))
            })
            .await
    }

    /// Creates an organization, and in the same commit a token for it and the
    /// [invitation of its first owner](Self::invite_first_owner), so that a new installation can be tried at once. Returns the
    /// organization, the text of the token, and the secret of the invitation's link.
    ///
    /// Returns `None` and creates nothing if an organization exists already. If several processes call this method at
    /// the same time, only one of the calls creates an organization.
    ///
    /// A retry after an unknown result returns `None` if the first call was applied. The text of that token and the link are
    /// lost. [`create_token`](Self::create_token) creates another token, and [`invite_first_owner`](Self::invite_first_owner)
    /// another link.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] if the token has no scope, or its life is not 1 to 365 days. Otherwise fails only if
    /// the store fails.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |_| {
    /// use signup_core::{NewOrganization, NewToken, Scopes, Service};
    /// use signup_store_memory::MemoryStore;
    ///
    /// let service = Service::new(MemoryStore::new());
    /// let new = NewOrganization::new("Riverside Food Bank".parse()?);
    /// let token = NewToken::new("First token".parse()?, Scopes::all());
    /// let created = service.admin().create_first_organization(new.clone(), token.clone()).await?;
    /// let (organization, text, link) = created.ok_or("an organization exists already")?;
    /// assert_eq!(service.authenticate(text.reveal()).await?.organization_id(), organization.id);
    /// assert_eq!(service.people().invitation(&link).await?.organization, organization);
    /// assert!(service.admin().create_first_organization(new, token).await?.is_none());
    /// # Ok(()) }) }
    /// ```
    pub async fn create_first_organization(
        &self,
        new: NewOrganization,
        token: NewToken,
    ) -> Result<Option<(Organization, TokenText, Secret)>> {
        let (new, token) = (&new, &token);
        let created = self
            .shared
            .commit(&Actor::Operator, move |now| async move {
                let slug = slug_base(new.name.as_str()).unwrap_or_else(|| FALLBACK.to_owned());
                let organization = organization(new, slug, now);
                let id = TokenId::new(secret::new_uuid(now));
                let text = TokenText::generate();
                let made = (id, text.digest());
                let created = rules::create_token(organization.id, token, &Actor::Operator, made, now)?;
                let Decision { change: of_token, activity: mut created, .. } = created;
                let (id, secret) = (InvitationId::new(secret::new_uuid(now)), Secret::generate());
                let invited = rules::invite_first_owner(&organization, id, &secret, now);
                let mut change = ChangeSet::default();
                change.requires.push(Requirement::Below { total: Total::Organizations, bound: 1, now });
                change.insert(organization.clone());
                change.writes.extend(of_token.writes.into_iter().chain(invited.change.writes));
                created.insert(0, NewActivity::of(ActivityType::ORGANIZATION_CREATED, &organization));
                created.extend(invited.activity);
                Ok(Decision::new((organization, text, secret), change, created))
            })
            .await?;
        match created {
            Ok(created) => Ok(Some(created)),
            Err(Refusal::NotBelow { .. }) => Ok(None),
            Err(refusal) => Err(Error::Refused(refusal.into())),
        }
    }

    /// Lists at most `limit` organizations with an id above `after`, by ascending id.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// let mut after = None;
    /// loop {
    ///     let page = service.admin().organizations(after, 100).await?;
    ///     let Some(last) = page.last() else { break };
    ///     after = Some(last.id);
    ///     page.iter().for_each(|organization| println!("{}", organization.name));
    /// }
    /// assert_eq!(after, Some(organization.id));
    /// # Ok(()) }) }
    /// ```
    pub async fn organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u32,
    ) -> Result<Vec<Organization>> {
        Ok(self.shared.store.organizations(after, limit).await?)
    }

    /// Finds an organization by its id or its slug.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such organization.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// let found = service.admin().find_organization("riverside-food-bank").await?;
    /// assert_eq!(found, organization);
    /// assert_eq!(service.admin().find_organization(&found.id.to_string()).await?, found);
    /// # Ok(()) }) }
    /// ```
    pub async fn find_organization(&self, id_or_slug: &str) -> Result<Organization> {
        if let Ok(id) = id_or_slug.parse::<OrganizationId>()
            && let Some(organization) = self.shared.store.get(RecordKey::Organization(id)).await?
        {
            return Ok(organization);
        }
        let found = self.shared.store.find(Unique::OrganizationSlug(id_or_slug.to_owned())).await?;
        found.ok_or(Error::NotFound)
    }

    /// Changes an organization. The slug stays. Updates of different fields at the same time are all applied.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such organization.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::OrganizationPatch;
    ///
    /// let patch = OrganizationPatch::new()
    ///     .name("Riverside Pantry".parse()?)
    ///     .contact("help@riverside.example.org".parse()?)
    ///     .clear_public_url();
    /// let changed = service.admin().update_organization(organization.id, patch).await?;
    /// assert_eq!((changed.name.as_str(), changed.slug), ("Riverside Pantry", organization.slug));
    /// # Ok(()) }) }
    /// ```
    pub async fn update_organization(
        &self,
        organization: OrganizationId,
        patch: OrganizationPatch,
    ) -> Result<Organization> {
        self.shared.update_organization(&Actor::Operator, organization, &patch).await
    }

    /// Changes the plan of an organization. New sessions have the new limits: at once in this process, and within 5
    /// seconds in others. Existing sessions keep the former limits.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such organization.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::Plan;
    ///
    /// let changed = service.admin().set_plan(organization.id, Plan::Pro).await?;
    /// assert_eq!(changed.plan, Plan::Pro);
    /// # Ok(()) }) }
    /// ```
    pub async fn set_plan(&self, organization: OrganizationId, plan: Plan) -> Result<Organization> {
        let rule = move |found| Ok(rules::set_plan(found, plan));
        self.shared.change_organization(&Actor::Operator, organization, rule).await
    }
}

impl Shared {
    /// Changes the fields of an organization that `patch` names.
    pub(in crate::service) async fn update_organization(
        &self,
        actor: &Actor,
        organization: OrganizationId,
        patch: &OrganizationPatch,
    ) -> Result<Organization> {
        let rule = move |found| rules::update_organization(found, patch.clone());
        self.change_organization(actor, organization, rule).await
    }

    /// Changes an organization by a rule. The next request with a token of this process reads the organization again.
    async fn change_organization(
        &self,
        actor: &Actor,
        organization: OrganizationId,
        rule: impl Fn(Organization) -> Result<Decision<Organization>> + Send + Sync + Copy,
    ) -> Result<Organization> {
        let changed = self
            .commit_unrefused(actor, move |_| async move {
                rule(self.get(RecordKey::Organization(organization)).await?)
            })
            .await;
        self.tokens.clear();
        changed
    }

    /// Returns a slug for an organization with this name that no other organization than `own` has. 8 random characters follow
    /// the words of the name if it has no letter or digit, or if the slug is taken.
    pub(in crate::service) async fn free_slug(
        &self,
        name: &Name,
        own: Option<OrganizationId>,
    ) -> Result<String> {
        if let Some(plain) = slug_base(name.as_str()) {
            let taken: Option<Organization> =
                self.store.find(Unique::OrganizationSlug(plain.clone())).await?;
            if taken.is_none_or(|taken| Some(taken.id) == own) {
                return Ok(plain);
            }
        }
        Ok(slug_with_tail(name.as_str(), FALLBACK, &secret::slug_tail()))
    }
}

fn organization(new: &NewOrganization, slug: String, now: Timestamp) -> Organization {
    let NewOrganization { name, plan, sport, public_url, contact, privacy_url } = new.clone();
    let id = OrganizationId::new(secret::new_uuid(now));
    Organization { sport, public_url, contact, privacy_url, plan, ..Organization::new(id, name, slug, now) }
}

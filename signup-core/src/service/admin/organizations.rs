//! Organizations and their plans.

use jiff::Timestamp;

use super::Admin;
use crate::error::{Error, Result};
use crate::id::{OrganizationId, TokenId};
use crate::input::{NewOrganization, NewToken};
use crate::organization::Organization;
use crate::plan::Plan;
use crate::rules::{Decision, slug_base, slug_with_tail};
use crate::secret::{self, TokenText};
use crate::service::commit::Refused;
use crate::store::{ChangeSet, Refusal, Requirement, Write};

/// The slug of a name without a letter or digit.
const FALLBACK: &str = "organization";

impl Admin {
    /// Creates an organization. Its slug is its name's words; if those are taken, with 8 random characters behind them.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn create_organization(&self, new: NewOrganization) -> Result<Organization> {
        let new = &new;
        self.shared
            .commit_unrefused(move |now| async move {
                let plain = slug_base(new.name.as_str());
                let slug = match plain {
                    Some(plain) if self.shared.store.organization_by_slug(&plain).await?.is_none() => plain,
                    _ => slug_with_tail(new.name.as_str(), FALLBACK, &secret::slug_tail()),
                };
                let organization = organization(new, slug.clone(), now);
                let writes = vec![Write::InsertOrganization(organization.clone())];
                let requires = vec![Requirement::OrganizationSlugFree(slug)];
                Ok(Decision { outcome: organization, change: ChangeSet { requires, writes } })
            })
            .await
    }

    /// Creates an organization and a token for it, unless there is an organization already: so that a new installation can
    /// be tried at once. Of several processes that do so at the same moment, one succeeds.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn create_first_organization(
        &self,
        new: NewOrganization,
        token: NewToken,
    ) -> Result<Option<(Organization, TokenText)>> {
        let (new, token) = (&new, &token);
        let created = self
            .shared
            .commit(move |now| async move {
                let slug = slug_base(new.name.as_str()).unwrap_or_else(|| FALLBACK.to_owned());
                let organization = organization(new, slug, now);
                let text = TokenText::generate();
                let id = TokenId::new(secret::new_uuid(now));
                let token = super::tokens::token(id, organization.id, token, &text, now)?;
                let writes = vec![Write::InsertOrganization(organization.clone()), Write::InsertToken(token)];
                let change = ChangeSet { requires: vec![Requirement::NoOrganization], writes };
                Ok(Decision { outcome: (organization, text), change })
            })
            .await?;
        match created {
            Ok(created) => Ok(Some(created)),
            Err(Refused { refusal: Refusal::OrganizationExists, .. }) => Ok(None),
            Err(Refused { refusal, .. }) => Err(Error::Refused(refusal.into())),
        }
    }

    /// At most `limit` organizations whose id is above `after`, by id.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u32,
    ) -> Result<Vec<Organization>> {
        Ok(self.shared.store.organizations(after, limit).await?)
    }

    /// The organization with this id or this slug.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn find_organization(&self, id_or_slug: &str) -> Result<Organization> {
        if let Ok(id) = id_or_slug.parse::<OrganizationId>()
            && let Some(organization) = self.shared.store.organization(id).await?
        {
            return Ok(organization);
        }
        self.shared.store.organization_by_slug(id_or_slug).await?.ok_or(Error::NotFound)
    }

    /// Gives an organization another plan: at once in this process, within 5 seconds in others.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn set_plan(&self, organization: OrganizationId, plan: Plan) -> Result<Organization> {
        let found = &self.shared.store.organization(organization).await?.ok_or(Error::NotFound)?;
        let changed = self
            .shared
            .commit_unrefused(move |_| async move {
                let change =
                    ChangeSet { requires: vec![], writes: vec![Write::SetPlan { organization, plan }] };
                Ok(Decision { outcome: Organization { plan, ..found.clone() }, change })
            })
            .await;
        self.shared.tokens.clear();
        changed
    }
}

fn organization(new: &NewOrganization, slug: String, now: Timestamp) -> Organization {
    Organization {
        id: OrganizationId::new(secret::new_uuid(now)),
        name: new.name.clone(),
        slug,
        sport: new.sport.clone(),
        public_url: new.public_url.clone(),
        plan: new.plan,
        created_at: now,
    }
}

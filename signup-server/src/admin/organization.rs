//! `organization`: create and list organizations, and change their plans.

use signup_core::{Admin, NewOrganization, OrganizationId};

use super::{PAGE_LIMIT, describe, find_organization, print};
use crate::config::OrganizationCommand;
use crate::wire::OperatorTeam;

pub(super) async fn run(admin: &Admin, command: OrganizationCommand) -> Result<(), String> {
    match command {
        OrganizationCommand::Create { name, plan, sport, public_url, contact, privacy_url } => {
            let plan = plan.parse().map_err(|error| format!("--plan {error}"))?;
            let mut new = NewOrganization::new(name).plan(plan);
            (new.sport, new.public_url) = (sport, public_url);
            (new.contact, new.privacy_url) = (contact, privacy_url);
            print(&OperatorTeam::new(&admin.create_organization(new).await.map_err(describe)?))
        }
        OrganizationCommand::List => {
            let mut after: Option<OrganizationId> = None;
            loop {
                let page = admin.organizations(after, PAGE_LIMIT).await.map_err(describe)?;
                let Some(last) = page.last() else { return Ok(()) };
                after = Some(last.id);
                page.iter().try_for_each(|organization| print(&OperatorTeam::new(organization)))?;
            }
        }
        OrganizationCommand::Plan { organization, plan } => {
            let plan = plan.parse().map_err(|error| format!("--plan {error}"))?;
            let organization = find_organization(admin, &organization).await?;
            print(&OperatorTeam::new(&admin.set_plan(organization.id, plan).await.map_err(describe)?))
        }
    }
}

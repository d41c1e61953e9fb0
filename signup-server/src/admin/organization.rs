//! `organization`: create, list and change organizations.

use signup_core::{Admin, NewOrganization, OrganizationId, OrganizationPatch, Plan};

use super::{PAGE_LIMIT, describe, find_organization, print};
use crate::config::OrganizationCommand;
use crate::output::Failure;
use crate::wire::OperatorTeam;

pub(super) async fn run(admin: &Admin, command: OrganizationCommand) -> Result<(), Failure> {
    match command {
        OrganizationCommand::Create { name, plan, sport, public_url, contact, privacy_url } => {
            let plan = parse_plan(&plan)?;
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
            let plan = parse_plan(&plan)?;
            let organization = find_organization(admin, &organization).await?;
            print(&OperatorTeam::new(&admin.set_plan(organization.id, plan).await.map_err(describe)?))
        }
        OrganizationCommand::Update { organization, name, contact, privacy_url, sport, public_url } => {
            let mut patch = OrganizationPatch::new();
            (patch.name, patch.contact, patch.privacy_url) = (name, contact, privacy_url);
            (patch.sport, patch.public_url) = (sport, public_url);
            let organization = find_organization(admin, &organization).await?;
            let changed = admin.update_organization(organization.id, patch).await.map_err(describe)?;
            print(&OperatorTeam::new(&changed))
        }
    }
}

fn parse_plan(name: &str) -> Result<Plan, String> {
    name.parse().map_err(|error| format!("--plan {error}"))
}

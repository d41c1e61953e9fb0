//! `person`: invite, list, remove and sign out the people who may use the console.

use signup_core::{Admin, EmailAddress, Error, NewInvitation, Secret};

use super::{describe, find_organization, print};
use crate::config::PersonCommand;
use crate::output::Failure;
use crate::wire;

pub(super) async fn run(admin: &Admin, base_url: &str, command: PersonCommand) -> Result<(), Failure> {
    match command {
        PersonCommand::Invite { organization, email, name, role } => {
            let organization = find_organization(admin, &organization).await?;
            let new = NewInvitation::new(email.clone(), name, role);
            if let Some((invitation, secret)) =
                admin.invite_person(organization.id, new).await.map_err(describe)?
            {
                let link = invitation_link(base_url, &secret);
                return wire::Invited::new(&invitation, link).as_ref().map_or(Ok(()), print);
            }
            let members = admin.members(organization.id).await.map_err(describe)?;
            match members.iter().find(|(_, person)| person.email == email) {
                Some((membership, person)) => print(&wire::Invited::member(membership, person)),
                None => Err(no_member(&email).into()),
            }
        }
        PersonCommand::List { organization } => {
            let organization = find_organization(admin, &organization).await?;
            let members = admin.members(organization.id).await.map_err(describe)?;
            members.iter().try_for_each(|(membership, person)| print(&wire::Member::new(membership, person)))
        }
        PersonCommand::Remove { organization, email } => {
            let organization = find_organization(admin, &organization).await?;
            match admin.remove_person(organization.id, &email).await {
                Ok((membership, person)) => print(&wire::Member::new(&membership, &person)),
                Err(Error::NotFound) => Err(no_member(&email).into()),
                Err(Error::LastOwner) => {
                    let line =
                        format!("{email} is the only owner of the organization: invite another owner first");
                    Err(line.into())
                }
                Err(error) => Err(describe(error).into()),
            }
        }
        PersonCommand::SignOut { email } => match admin.sign_out_person(&email).await {
            Ok(person) => print(&wire::Person::new(&person)),
            Err(Error::NotFound) => {
                Err(format!("nobody has the address {email}: to see the members, run \"person list\"").into())
            }
            Err(error) => Err(describe(error).into()),
        },
    }
}

/// Returns the link of the invitation with this secret.
pub(crate) fn invitation_link(base_url: &str, secret: &Secret) -> String {
    format!("{base_url}/invitations/{}", secret.reveal())
}

fn no_member(email: &EmailAddress) -> String {
    format!("no member of the organization has the address {email}: to see the members, run \"person list\"")
}

//! Barriers in shared memory and bulk copies (PTX ISA 9.7.13.15, `mbarrier`; 9.7.9.25.4, `cp.async.bulk`).

use super::body::{Body, Width, ins};
use ir::rt::Rt;
use ir::{Reg, Ty, Val};

impl Body<'_, '_> {
    /// The instructions of one of these services.
    pub(super) fn bulk(&mut self, rt: Rt, args: &[Val], results: &[Reg]) {
        match rt {
            Rt::BarrierInit => {
                let (at, count) = (self.window("shared", args[0]), self.in_register(Ty::I32, args[1]));
                ins!(self, "mbarrier.init.shared::cta.b64 [{at}], {count}");
                ins!(self, "fence.proxy.async.shared::cta");
            }
            Rt::BarrierExpect => {
                let (at, bytes) = (self.window("shared", args[0]), self.in_register(Ty::I32, args[1]));
                ins!(self, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{at}], {bytes}");
            }
            Rt::BarrierArrive => {
                let (at, state) = (self.window("shared", args[0]), self.reg(results[0]));
                if args[1] == Val::Imm(0) {
                    ins!(self, "mbarrier.arrive.release.cta.shared::cta.b64 {state}, [{at}]");
                } else {
                    let bytes = self.in_register(Ty::I32, args[1]);
                    ins!(self, "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 {state}, [{at}], {bytes}");
                }
            }
            Rt::BarrierTry => {
                let (at, state) = (self.window("shared", args[0]), self.in_register(Ty::I64, args[1]));
                let (done, result) = (self.temp(Width::Pred), self.reg(results[0]));
                let hint = match args[2] {
                    Val::Imm(0) => String::new(),
                    ns => format!(", {}", self.in_register(Ty::I32, ns)),
                };
                ins!(self, "mbarrier.try_wait.acquire.cta.shared::cta.b64 {done}, [{at}], {state}{hint}");
                ins!(self, "selp.b32 {result}, 1, 0, {done}");
            }
            Rt::ProxyFence => ins!(self, "fence.proxy.async.shared::cta"),
            Rt::BulkLoad => {
                let [barrier, to] = [args[0], args[1]].map(|a| self.window("shared", a));
                let (from, bytes) = (self.window("global", args[2]), self.in_register(Ty::I32, args[3]));
                let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
                ins!(self, "{copy} [{to}], [{from}], {bytes}, [{barrier}]");
            }
            Rt::BulkStore => {
                let (to, from) = (self.window("global", args[0]), self.window("shared", args[1]));
                let bytes = self.in_register(Ty::I32, args[2]);
                ins!(self, "cp.async.bulk.global.shared::cta.bulk_group [{to}], [{from}], {bytes}");
            }
            Rt::BulkCommit => ins!(self, "cp.async.bulk.commit_group"),
            _ => ins!(self, "cp.async.bulk.wait_group 0"),
        }
    }

    /// A generic address as one of a window.
    fn window(&mut self, window: &str, address: Val) -> String {
        let (address, there) = (self.in_register(Ty::I64, address), self.temp(Width::W64));
        ins!(self, "cvta.to.{window}.u64 {there}, {address}");
        there
    }
}

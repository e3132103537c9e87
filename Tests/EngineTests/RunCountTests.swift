import CKernels
import COneDNN
import Foundation
import ModelFormat
import NetworkRuns
import Operators
import Platform
import Testing

@testable import Engine

@Suite("Runs that share the cores")
struct RunCountTests {
  @Test(
    "Concurrent runs together use at most as many threads as there are cores, and at least one each"
  )
  func teams() {
    let runs = RunCount(cores: 4, patience: 0)
    #expect(runs.team(of: 4) == 4)
    runs.counting {
      // While a run is the only one, it may use more threads than there are cores.
      #expect(runs.team(of: 6) == 6)
      runs.counting {
        #expect(runs.team(of: 4) == 2)
        #expect(runs.team(of: 1) == 1)
        runs.counting {
          #expect(runs.team(of: 4) == 1)
          runs.counting { runs.counting { #expect(runs.team(of: 4) == 1) } }
        }
      }
      #expect(runs.team(of: 4) == 4)
    }
  }

  @Test(
    "A core stays reserved for a run that ended, until the next run starts or a time limit passes")
  func patience() {
    let second: UInt64 = 1_000_000_000
    let runs = RunCount(cores: 4, patience: 100 * second)
    runs.counting { #expect(runs.team(of: 4) == 4) }
    // No other run is active.
    runs.counting {
      #expect(runs.team(of: 4) == 4)
      runs.counting { #expect(runs.team(of: 4) == 2) }
      #expect(runs.team(of: 4) == 2)
      runs.counting { #expect(runs.team(of: 4) == 2) }
    }
    let brief = RunCount(cores: 4, patience: second / 1000)
    brief.counting {
      brief.counting {}
      usleep(2000)
      #expect(brief.team(of: 4) == 4)
    }
  }

  @Test("Concurrent runs restore their caller's number of threads and give the same bits")
  func caller() throws {
    let network = try TestNetwork(
      [.convolution(32, 16, padding: 1).named("c", ["x"], "y")], input: [1, 16, 64, 64]
    ).network(ExecutionOptions(threads: 2))
    let input = ReferenceTensor.random([1, 16, 64, 64])
    let before = adnn_threads()
    let alone = try network.predict(input)
    let shared = try RunCount.shared.counting { try network.predict(input) }
    #expect(alone == shared)
    #expect(adnn_threads() == before)
  }
}

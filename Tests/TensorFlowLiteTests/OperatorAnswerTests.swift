import Foundation
import Testing

@testable import TensorFlowLiteFormat

/// Compares the results of models with one operator each with the results of LiteRT's reference kernels.
@Suite("LiteRT's answers for every operator")
struct OperatorAnswerTests {
  static let recorded: [LiteCase] =
    LiteCase.cases("operators") + LiteCase.cases("mediapipe_operators")

  @Test("An operator matches LiteRT", arguments: recorded)
  func answers(_ entry: LiteCase) throws {
    let (relative, steps) = try entry.run()
    #expect(relative <= entry.tolerance, "\(relative) of the largest magnitude")
    #expect(steps <= entry.steps, "\(steps) quantisation steps")
  }

  @Test("Every operator that is read has a recorded answer of LiteRT")
  func coverage() throws {
    var asked: Set<String> = []
    for entry in Self.recorded {
      let model = try LiteModel(.init([UInt8](entry.model)))
      asked.formUnion(model.subgraphs.flatMap(\.operations).map(\.kind))
    }
    // Recorded outputs cannot test two operators: CALL_ONCE needs a second call, and BROADCAST_ARGS needs a broadcast
    // at run time.
    let known: Set<String> = ["CALL_ONCE", "BROADCAST_ARGS"]
    #expect(LiteOperatorTable.standard.names.subtracting(asked).subtracting(known).isEmpty)
    #expect(asked.count >= 100)
  }

  /// Tests the larger networks of Expected/make_networks.py. Their outputs are too large to store.
  @Test(
    "Networks from a separate file match LiteRT",
    arguments: ProcessInfo.processInfo.environment["ATELIER_LITE_CASES"].map {
      LiteCase.cases(URL(fileURLWithPath: $0))
    } ?? [])
  func others(_ entry: LiteCase) throws {
    let (relative, steps) = try entry.run()
    print("\(entry.name): \(relative) of the largest magnitude, \(steps) quantisation steps")
    #expect(relative <= entry.tolerance, "\(relative) of the largest magnitude")
    #expect(steps <= entry.steps, "\(steps) quantisation steps")
  }
}

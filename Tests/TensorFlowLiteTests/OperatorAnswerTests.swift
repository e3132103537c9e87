import Foundation
import Testing

@testable import TensorFlowLiteFormat

/// Models of one operator each, against LiteRT's reference kernels.
@Suite("Answers of LiteRT, operator by operator")
struct OperatorAnswerTests {
  static let recorded: [LiteCase] = LiteCase.cases("operators")

  @Test("An operator gives LiteRT's numbers", arguments: recorded)
  func answers(_ entry: LiteCase) throws {
    let (relative, codes) = try entry.run()
    #expect(relative <= entry.tolerance, "\(relative) of the largest number")
    #expect(codes <= entry.steps, "\(codes) codes away")
  }

  @Test("Every operator that is read has an answer of LiteRT")
  func coverage() throws {
    var asked: Set<String> = []
    for entry in Self.recorded {
      let model = try LiteModel(.init([UInt8](entry.model)))
      asked.formUnion(model.subgraphs.flatMap(\.operations).map(\.kind))
    }
    // Both need what LiteRT runs but a recorded answer cannot show: a second call, a broadcast at run time.
    let known: Set<String> = ["CALL_ONCE", "BROADCAST_ARGS"]
    #expect(LiteOperatorTable.standard.names.subtracting(asked).subtracting(known).isEmpty)
    #expect(asked.count >= 100)
  }

  /// For the larger networks of Expected/make_networks.py, whose answers are too large to keep.
  @Test(
    "Networks of another file give LiteRT's numbers",
    arguments: ProcessInfo.processInfo.environment["ATELIER_LITE_CASES"].map {
      LiteCase.cases(URL(fileURLWithPath: $0))
    } ?? [])
  func others(_ entry: LiteCase) throws {
    let (relative, codes) = try entry.run()
    print("\(entry.name): \(relative) of the largest number, \(codes) codes")
    #expect(relative <= entry.tolerance, "\(relative) of the largest number")
    #expect(codes <= entry.steps, "\(codes) codes away")
  }
}

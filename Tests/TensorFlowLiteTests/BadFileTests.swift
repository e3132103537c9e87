import Engine
import Foundation
import Testing

@testable import TensorFlowLiteFormat

/// Files that contradict themselves: each is refused with a sentence.
@Suite("Damaged TensorFlow Lite files")
struct BadFileTests {
  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try #require(OperatorAnswerTests.recorded.first { $0.name == name }).model)
  }

  private func sentence(_ bytes: [UInt8]) -> String? {
    do {
      _ = try LiteModel(.init(bytes)).graph()
      return nil
    } catch let error as EngineError {
      return error.message
    } catch {
      return "another error: \(error)"
    }
  }

  @Test("A file of another kind is named as such")
  func otherFile() {
    #expect(
      sentence([UInt8](repeating: 7, count: 40))?.hasPrefix("This is no TensorFlow Lite model")
        == true)
    #expect(sentence([])?.hasPrefix("This is no TensorFlow Lite model") == true)
  }

  @Test("A file that is cut off anywhere is refused, or means the same")
  func cutFiles() throws {
    let whole: [UInt8] = try bytes("CONV_2D same")
    for count in 8..<whole.count {
      let sentence: String? = sentence(Array(whole.prefix(count)))
      #expect(sentence != nil || count > whole.count - 8)
    }
  }

  @Test("An operator that is not known is named with what it makes")
  func unknownOperator() throws {
    var file: [UInt8] = try bytes("TFLite_Detection_PostProcess")
    let name = Array("TFLite_Detection".utf8)
    let place = try #require(
      (0..<file.count - name.count).first { Array(file[$0..<$0 + name.count]) == name })
    file[place] = UInt8(ascii: "X")
    #expect(
      sentence(file)
        == "XFLite_Detection_PostProcess 't2': operators of this kind are not supported yet;"
        + " Documentation/TensorFlowLite.md lists those that are.")
  }

  @Test("Weights of another size than their shape says are named")
  func wrongShape() throws {
    let file: [UInt8] = try bytes("FULLY_CONNECTED of (2, 6)")
    let model = try LiteModel(.init(file))
    let weights = model.subgraphs[0].tensors[2]
    #expect(weights.shape == [4, 6])
    let shape: [UInt8] = [2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0]
    let place = try #require(
      (0..<file.count - shape.count).first { Array(file[$0..<$0 + shape.count]) == shape })
    var other = file
    other[place + 8] = 7
    #expect(
      sentence(other)
        == "FULLY_CONNECTED 't1': tensor 't2' holds 96 bytes, expected 112 for 4 × 7 of float32."
        + " The file may be cut off.")
  }

  /// Every byte of a small file changed in turn: what is read or refused is told by nobody's crash.
  @Test(
    "A file with a changed byte is read or refused",
    arguments: ["CONV_2D same", "WHILE", "TFLite_Detection_PostProcess", "STRIDED_SLICE open"])
  func changedBytes(_ name: String) throws {
    let file: [UInt8] = try bytes(name)
    for position in file.indices {
      for value: UInt8 in [0, 0x7F, 0xFF] where file[position] != value {
        var other = file
        other[position] = value
        let sentence: String? = sentence(other)
        #expect(sentence?.hasPrefix("another error") != true)
      }
    }
  }
}

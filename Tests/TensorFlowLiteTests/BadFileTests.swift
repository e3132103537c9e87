import Engine
import Foundation
import Testing

@testable import TensorFlowLiteFormat

/// Tests inconsistent files. The reader must refuse each of them with a message.
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

  @Test("A file of another format is identified")
  func otherFile() {
    #expect(
      sentence([UInt8](repeating: 7, count: 40))?.hasPrefix("This is not a TensorFlow Lite model")
        == true)
    #expect(sentence([])?.hasPrefix("This is not a TensorFlow Lite model") == true)
  }

  @Test("A file truncated anywhere is refused, or has the same meaning")
  func cutFiles() throws {
    let complete: [UInt8] = try bytes("CONV_2D same")
    for count in 8..<complete.count {
      let sentence: String? = sentence(Array(complete.prefix(count)))
      #expect(sentence != nil || count > complete.count - 8)
    }
  }

  @Test("An unknown operator is reported with the name of its output")
  func unknownOperator() throws {
    var file: [UInt8] = try bytes("TFLite_Detection_PostProcess")
    let name = Array("TFLite_Detection".utf8)
    let position = try #require(
      (0..<file.count - name.count).first { Array(file[$0..<$0 + name.count]) == name })
    file[position] = UInt8(ascii: "X")
    #expect(
      sentence(file)
        == "XFLite_Detection_PostProcess 't2': operators of this kind are not supported yet;"
        + " Documentation/TensorFlowLite.md lists those that are.")
  }

  @Test("Weights of another size than their shape are reported")
  func wrongShape() throws {
    let file: [UInt8] = try bytes("FULLY_CONNECTED of (2, 6)")
    let model = try LiteModel(.init(file))
    let weights = model.subgraphs[0].tensors[2]
    #expect(weights.shape == [4, 6])
    let shape: [UInt8] = [2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0]
    let position = try #require(
      (0..<file.count - shape.count).first { Array(file[$0..<$0 + shape.count]) == shape })
    var other = file
    other[position + 8] = 7
    #expect(
      sentence(other)
        == "FULLY_CONNECTED 't1': tensor 't2' holds 96 bytes, expected 112 for 4 × 7 of float32."
        + " The file may be truncated.")
  }

  /// Changes every byte of a small file, one at a time. For each change, the reader must read or refuse the file
  /// without a crash.
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

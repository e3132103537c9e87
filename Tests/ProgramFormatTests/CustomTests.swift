import Engine
import ModelFormat
import Operators
import Testing

@testable import ProgramFormat

@Suite("Custom layers of programs")
struct CustomTests {
  private typealias Draft = ProgramDraft

  /// A layer that computes `y = scale · x + shift`.
  private final class Affine: CustomLayerImplementation {
    let request: CustomLayerRequest
    init(_ request: CustomLayerRequest) { self.request = request }

    func outputShapes(for inputs: [Shape]) throws -> [Shape] { inputs }

    func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
      guard case .double(let scale)? = request.parameters["scale"] else { return }
      let shift: Float = request.weights[0].withUnsafeBytes {
        Float($0.loadUnaligned(as: Float16.self))
      }
      for index in 0..<inputs[0].shape.count {
        outputs[0].data[index] = Float(scale) * inputs[0].data[index] + shift
      }
    }
  }

  @Test("A custom layer receives the constants that its attributes name")
  func custom() throws {
    var draft = ProgramDraft()
    draft.inputs = [Draft.named("x", Draft.tensor([2]))]
    var layer = Draft.operation(
      "custom_layer",
      [
        "x": ["x"], "scale": [Draft.floats([], [3])], "mode": [Draft.string("fast")],
        "shift": [Draft.bytes([1], .float16, [0x00, 0x3C])],
      ], [("y", Draft.tensor([2]))])
    layer.attributes = [
      "class_name": Draft.string("Affine"), "input_order": Draft.string("x"),
      "parameters": Draft.strings(["scale", "mode"]), "weights": Draft.strings(["shift"]),
    ]
    draft.operations = [layer]
    draft.outputs = ["y"]
    let graph = try ProgramGraph(
      draft.program, blobs: { _ in throw EngineError(.invalidModel, "there is no file.") },
      makeCustomLayer: Affine.init
    ).graph
    let made = try #require(graph.nodes.last?.operation as? CustomLayer)
    #expect(made.className == "Affine")
    #expect(made.parameters == ["scale": .double(3), "mode": .string("fast")])
    #expect(made.weights() == [[0x00, 0x3C]])
    let outputs = try made.reference([ReferenceTensor([2], [1, -1])])
    #expect(outputs[0].values == [4, -2])
  }
}

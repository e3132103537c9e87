import Engine
import Layers
import Testing

/// Every layer that has a gradient, against central differences of its own reference in `Double`.
@Suite("Gradients")
struct GradientTests {
  @Test("equal central differences of the reference", arguments: DifferentiableType.all)
  func centralDifferences(type: DifferentiableType) throws {
    var checked = 0
    for test in type.cases {
      guard let check = try GradientCheck.make(test, onlyFirst: type.takesIndices) else { continue }
      for (number, variable) in check.variables.enumerated() {
        for position in check.positions(number) {
          guard let slope = try check.slope(number, position) else { continue }
          let found: Double = check.gradients[number].values[position]
          let scale: Double = max(check.scale(number), abs(slope))
          checked += 1
          #expect(
            abs(found - slope) <= 1e-5 * max(scale, 1e-3),
            "\(test): input \(variable), element \(position): \(found), expected \(slope)")
        }
      }
    }
    #expect(checked > 0, "no sample was small enough, or none has a rule")
  }

  @Test("refuse what has no rule with a sentence")
  func missingRule() throws {
    var graph = Graph()
    let input = graph.addInput("x", [3])
    let sorted = try graph.apply(
      NonDifferentiableLayer(), to: [input], name: "nobody knows")
    let loss = try graph.apply(
      ReduceSumLayer(axes: [], keepsAxes: false), to: [sorted], name: "loss")
    do {
      _ = try graph.differentiate(loss, withRespectTo: [input])
      Issue.record("nothing was thrown")
    } catch let error as EngineError {
      #expect(error.message.contains("'nobody knows' has no gradient"))
    }
  }
}

/// A layer type that has a gradient.
struct DifferentiableType: Sendable, CustomTestStringConvertible {
  let type: any Layer.Type

  var testDescription: String { type.declaration.name }

  static let all: [DifferentiableType] = LayerCatalog.standard.layers
    .filter { $0 is any DifferentiableLayer.Type }.map(DifferentiableType.init)

  /// Its samples that are small enough to be computed many times.
  var cases: [LayerCase] {
    LayerCase.deterministic.filter { test in
      test.type == type && !test.sample.inputs.isEmpty
        && test.sample.inputs.reduce(0) { $0 + $1.shape.count } <= 5000
    }
  }

  /// Whether all inputs but the first say places or sizes, so that there is no slope along them.
  var takesIndices: Bool {
    [
      "Gather", "GatherND", "GatherAlongAxis", "SliceBySize", "SliceDynamic", "Tile", "ConstantPad",
      "ReshapeDynamic", "BroadcastToDynamic", "CumSum", "ReverseSeq",
    ].contains(type.declaration.name)
  }
}

/// A layer that nobody can differentiate.
private struct NonDifferentiableLayer: DerivedLayer {
  static let declaration = LayerDeclaration("Opaque", specification: nil, summary: "nothing")
  static let samples: [LayerSample] = []
  func outputTypes(for inputs: [LayerInput]) throws -> [TensorType]? { [inputs[0].type] }
  func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] { inputs }
}

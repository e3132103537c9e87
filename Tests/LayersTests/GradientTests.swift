import Engine
import OperatorSamples
import Operators
import Testing

/// Compares the gradient of every differentiable layer with central differences of the layer's reference implementation
/// in `Double`.
@Suite("Gradients")
struct GradientTests {
  @Test("Gradients equal central differences of the reference", arguments: DifferentiableType.all)
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

  @Test("Differentiating a layer without a gradient rule throws an error with a message")
  func missingRule() throws {
    var graph = Graph()
    let input = graph.addInput("x", [3])
    let sorted = try graph.apply(
      NonDifferentiableLayer(), to: [input], name: "unknown")
    let loss = try graph.apply(
      ReduceAxesOperator(.sum, axes: [], keepsAxes: false), to: [sorted], name: "loss")
    do {
      _ = try graph.differentiate(loss, withRespectTo: [input])
      Issue.record("nothing was thrown")
    } catch let error as EngineError {
      #expect(error.message.contains("'unknown' has no gradient"))
    }
  }

  @Test(
    "A gradient with respect to indices that the network computes is refused",
    arguments: ComputedIndices.all)
  func computedIndices(_ test: ComputedIndices) throws {
    var graph = Graph()
    let input = graph.addInput("x", [3])
    let indices = graph.addInput("indices", test.indices)
    let output = graph.addValue("y", type: TensorType([3]))
    graph.nodes.append(
      Graph.Node(name: "layer", operation: test.layer, inputs: [input, indices], outputs: [output]))
    let loss = try graph.apply(
      ReduceAxesOperator(.sum, axes: [], keepsAxes: false), to: [output], name: "loss")
    do {
      _ = try graph.differentiate(loss, withRespectTo: [input])
      Issue.record("nothing was thrown")
    } catch let error as EngineError {
      #expect(
        error.message.contains(test.sentence) && error.message.hasSuffix("."), "\(error.message)")
    }
  }

  @Test("A ReLU stays in the epilogue of its convolution when the graph is differentiated")
  func epilogue() throws {
    var graph = Graph()
    let input = graph.addInput("x", [1, 16, 8, 8])
    let weights = graph.addConstant(.repeating(0.1, [16, 16, 3, 3]), name: "convolution/weights")
    let made = try graph.apply(
      ConvolutionOperator(outputChannels: 16, kernelChannels: 16), to: [input, weights],
      name: "convolution")
    let bent = try graph.apply(ActivationOperator(.reLU), to: [made], name: "ReLU")
    let loss = try graph.apply(
      ReduceAxesOperator(.sumOfSquares, axes: [], keepsAxes: false), to: [bent], name: "loss")
    graph.outputs = [loss] + (try graph.differentiate(loss, withRespectTo: [input]))
    for pass in GraphPasses.standard { try pass.run(on: &graph) }
    let fused: [FusedConvolution] = graph.nodes.compactMap { $0.operation as? FusedConvolution }
    #expect(fused.map(\.epilogue) == [[.activation(.reLU)]])
    #expect(graph.nodes.count { $0.operation is ConvolutionOperator } == 1)
    #expect(!graph.nodes.contains { $0.operation is ActivationOperator })
    // Only four nodes remain, because one of them computes the slopes of both the square and the ReLU.
    #expect(graph.nodes.count == 4, "\(graph.nodes.map(\.name))")
  }
}

/// A layer type that has a gradient rule.
struct DifferentiableType: Sendable, CustomTestStringConvertible {
  let type: any Operator.Type

  var testDescription: String { type.declaration.name }

  static let all: [DifferentiableType] = OperatorCatalog.standard.layers
    .filter { $0 is any DifferentiableOperator.Type }.map(DifferentiableType.init)

  /// The samples of this type that are small enough to be computed many times.
  var cases: [LayerCase] {
    LayerCase.deterministic.filter { test in
      test.type == type && !test.sample.inputs.isEmpty
        && test.sample.inputs.reduce(0) { $0 + $1.shape.count } <= 5000
    }
  }

  /// Whether all inputs except the first are indices or sizes, which have no gradient.
  var takesIndices: Bool {
    [
      "Gather", "GatherND", "GatherAlongAxis", "SliceBySize", "SliceDynamic", "Tile", "ConstantPad",
      "ReshapeDynamic", "BroadcastToDynamic", "CumSum", "ReverseSeq",
    ].contains(type.declaration.name)
  }
}

/// A layer whose second input holds indices, and a part of the error message that the test expects.
struct ComputedIndices: Sendable, CustomTestStringConvertible {
  let layer: any Operator
  let indices: Shape
  let sentence: String

  var testDescription: String { sentence }

  static let all: [ComputedIndices] = [
    ComputedIndices(
      layer: SliceBySizeOperator(axis: 0, size: 2), indices: [1], sentence: "A slice from an index"),
    ComputedIndices(
      layer: ConstantPadOperator(value: 0, amounts: nil), indices: [2],
      sentence: "A padding by amounts"),
  ]
}

/// A layer without a gradient rule.
private struct NonDifferentiableLayer: Operator {
  static let declaration = OperatorDeclaration("Opaque", summary: "nothing")
  func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { [inputs[0].type] }
  func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] { inputs }
}

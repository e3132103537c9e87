import Engine
import Foundation
import TensorFlowLiteFormat

/// The bytes of an input or output.
struct TensorValues {
  /// What the file says of it.
  let facts: LiteModel.Tensor
  /// Its extents now.
  let shape: [Int]
  /// The elements as the file's type has them.
  var data: Data
}

/// A model that is ready to run with inputs of certain shapes.
struct LoadedModel {
  /// The inputs with what they hold.
  var inputs: [TensorValues]
  private let outputs: [(facts: LiteModel.Tensor, shape: [Int]?)]
  private let network: Network
  private let types: [TensorType]

  /// Reads the graph and plans its run.
  init(_ model: LiteModel, shapes: [Int: [Int]], threads: Int?) throws {
    let main: LiteModel.Subgraph = model.subgraphs[0]
    // Inputs are named as the graph names them, which may add a number to a name.
    var options = ReadingOptions()
    if !shapes.isEmpty {
      let names: [String] = try model.graph().inputs.map(\.name)
      for (index, shape) in shapes { options.extents[names[index]] = shape.map { Extent($0) } }
    }
    let made: GraphModel = try model.graph(options)
    inputs = zip(main.inputs, made.inputs).map { tensor, feature in
      let facts: LiteModel.Tensor = main.tensors[tensor]
      // An extent that the file leaves open is 1 until a caller says more.
      let shape: [Int] = (feature.extents ?? []).map(\.lower)
      return TensorValues(
        facts: facts, shape: shape, data: Data(count: facts.element.byteCount(of: shape)))
    }
    outputs = zip(main.outputs, made.outputs).map { tensor, feature in
      let known: [Int]? = feature.extents?.compactMap(\.fixed)
      return (main.tensors[tensor], known?.count == feature.extents?.count ? known : nil)
    }
    var execution = ExecutionOptions()
    if let threads { execution.threads = threads }
    network = Network(made.graph, passes: GraphPasses.standard, options: execution)
    types = inputs.map { input in
      TensorType(
        Shape(input.shape), input.facts.quantization == nil ? input.facts.element.held : .float32)
    }
    _ = try network.plan(for: types)
  }

  /// An output before anything was computed; nil where its extents follow from values.
  func blankOutput(_ index: Int) -> TensorValues? {
    guard let shape = outputs[index].shape else { return nil }
    let facts: LiteModel.Tensor = outputs[index].facts
    return TensorValues(
      facts: facts, shape: shape, data: Data(count: facts.element.byteCount(of: shape)))
  }

  /// Computes the outputs.
  func run() throws -> [TensorValues] {
    try network.plan(for: types).withSession { session in
      for (position, input) in inputs.enumerated() {
        try TensorBytes(input.facts).write(input.data, to: session.input(position))
      }
      try session.run()
      return try outputs.enumerated().map { position, output in
        let tensor: BorderTensor = try session.output(position)
        var shape: [Int] = tensor.form.shape.dimensions
        if let known = output.shape, Shape(known).count == tensor.form.shape.count { shape = known }
        if output.facts.shape.isEmpty, shape == [1] { shape = [] }
        return TensorValues(
          facts: output.facts, shape: shape,
          data: try TensorBytes(output.facts).read(session, position))
      }
    }
  }
}

extension LiteElement {
  /// The size of a tensor of these extents in bytes.
  fileprivate func byteCount(of shape: [Int]) -> Int {
    (stored ?? .float32).byteCount(of: Shape(shape).count)
  }
}

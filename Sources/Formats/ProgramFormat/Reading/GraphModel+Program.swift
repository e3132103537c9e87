import Graph
import ModelFormat
import Operators

extension GraphModel {
  /// Reads a function of an ML Program as a model.
  ///
  /// - Parameters:
  ///   - features: The features in the model's description, one for each input, output and state.
  ///   - classLabel: The name of the feature that holds the class with the highest probability.
  /// - Throws: ``EngineError`` for damaged files and unknown operations. The error names the operation.
  public init(
    _ program: Spec.MILSpec.Program, function: String,
    blobs: @escaping @Sendable (String) throws -> BlobFile,
    features: [Feature], classLabel: String,
    makeCustomLayer: @escaping CustomLayerFactory = PassthroughCustomLayer.factory
  ) throws {
    var read = try ProgramGraph(
      program, function: function, blobs: blobs, makeCustomLayer: makeCustomLayer)
    func feature(_ port: ProgramGraph.Port) -> Feature {
      let extents: [Extent] = port.extents.map { $0.map { Extent($0) } ?? Extent(from: 1) }
      var feature: Feature =
        features.first { $0.name == port.name } ?? Feature(port.name, port.written, extents)
      feature.held = port.held
      if feature.extents?.isEmpty ?? true { feature.extents = extents }
      return feature
    }
    let states: [ProgramGraph.State] = read.states
    var inputs: [Feature] = read.inputs.map(feature)
    inputs += states.map { state in
      var kept: Feature = feature(state.port)
      kept.element = state.port.written
      return kept
    }
    var outputs: [Feature] = read.outputs.map(feature)
    outputs += states.filter { $0.output != nil }.map { feature($0.port) }
    var classes: Classes?
    if let known = read.classes {
      let position: Int = read.addProbabilities()
      switch known {
      case .strings(let labels): classes = Classes(labels, output: position)
      case .numbers(let numbers):
        classes = Classes(numbers.map(String.init), output: position)
        classes?.areNumbers = true
      }
      if !classLabel.isEmpty { classes?.labelName = classLabel }
      if position == outputs.count {
        let names: [String] = read.classification?.outputs ?? []
        outputs.append(Feature(names.last ?? "probabilities", .float32, nil))
      }
    }
    for (value, feature) in zip(read.graph.inputs, inputs) {
      if let image = feature.image { read.graph.imageInputs[value] = image }
    }
    for (value, feature) in zip(read.graph.outputs, outputs) {
      if let image = feature.image { read.graph.imageOutputs[value] = image }
    }
    self.init(read.graph, inputs: inputs, outputs: outputs)
    self.classes = classes
    let known = KnownTypes(of: self)
    for (position, value) in graph.outputs.enumerated() where self.outputs[position].extents == nil
    {
      self.outputs[position].extents = known.extents(of: value)?.map {
        $0.map { Extent($0) } ?? Extent(from: 1)
      }
    }
  }
}

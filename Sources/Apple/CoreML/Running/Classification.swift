import Engine
import Foundation
import ModelFormat

/// Computes the two outputs of a classifier from the tensor of probabilities. The outputs are the label and the
/// dictionary of probabilities.
struct Classification: Sendable {
  /// The index, among the plan's outputs, of the tensor of probabilities.
  let position: Int
  private let labels: ClassLabels
  private let labelName: String?
  private let probabilitiesName: String?

  /// Finds the tensor of probabilities of a neural network. If the tensor is not an output of the graph yet, makes it
  /// an output.
  init(
    _ classifier: Spec.NeuralNetworkClassifier, labels: ClassLabels,
    description: MLModelDescription, graph: inout Graph
  ) throws {
    self.labels = labels
    labelName = description.predictedFeatureName
    probabilitiesName = description.predictedProbabilitiesName
    let value: Graph.ValueID = try Classification.probabilities(of: classifier, in: graph)
    if let known = graph.outputs.firstIndex(of: value) {
      position = known
    } else {
      position = graph.outputs.count
      graph.outputs.append(value)
    }
  }

  /// Uses the plan's output with the index `position` as the tensor of probabilities. Programs with a `classify`
  /// operation and models of other file formats have such an output.
  init(_ position: Int, labels: ClassLabels, description: MLModelDescription) {
    self.position = position
    self.labels = labels
    labelName = description.predictedFeatureName
    probabilitiesName = description.predictedProbabilitiesName
  }

  /// Returns the graph's value for the tensor of probabilities. This is the value that the model names, or the first
  /// output of the layer that the model names. If the model names no value and no layer, this is the first output of
  /// the last layer.
  private static func probabilities(
    of classifier: Spec.NeuralNetworkClassifier, in graph: Graph
  ) throws -> Graph.ValueID {
    let name: String = classifier.labelProbabilityLayerName
    if name.isEmpty {
      if let last = graph.nodes.last?.outputs.first { return last }
      throw MLModelError(
        .io, "The classifier has no layers, so nothing computes its probabilities.")
    }
    if let index = graph.values.lastIndex(where: { $0.name == name }) {
      return Graph.ValueID(index)
    }
    if let value = graph.nodes.last(where: { $0.name == name })?.outputs.first { return value }
    throw MLModelError(
      .io,
      "The classifier takes its probabilities from \"\(name)\", but no layer computes it. The model "
        + "may be damaged.")
  }

  /// Adds the label and the dictionary to the values of a prediction.
  func add(to values: inout [String: MLFeatureValue], from session: Session) throws {
    let port: PortTensor = try session.output(position)
    let tensor: ReferenceTensor = TensorCodec.unpack(port.memory, as: port.form)
    guard tensor.values.count == labels.count else {
      throw MLModelError(
        .io,
        "The classifier has \(labels.count) class labels, but its network computes "
          + "\(tensor.values.count) probabilities. The model may be damaged.")
    }
    if let labelName, let best = try mostProbable(tensor.values) {
      values[labelName] = labels.featureValue(at: best)
    }
    if let probabilitiesName {
      values[probabilitiesName] = MLFeatureValue(
        .probabilities(ProbabilityTable(labels: labels, values: tensor.values)), type: .dictionary)
    }
  }
}

/// Returns the index of the greatest probability, or nil for an empty list. Of equal probabilities, the first counts.
///
/// - Throws: ``MLModelError`` if a probability is NaN. Without this error, the label could be wrong, and the caller
///   would not notice.
func mostProbable(_ probabilities: [Double]) throws -> Int? {
  var best: Int?
  for (index, value) in probabilities.enumerated() {
    if value.isNaN {
      let count: Int = probabilities.count { $0.isNaN }
      throw MLModelError(
        .generic,
        "The classifier cannot name a class: \(count) of its \(probabilities.count) probabilities are not a "
          + "number (NaN). Look for NaN, infinities or very large numbers in the input.")
    }
    if best.map({ value > probabilities[$0] }) ?? true { best = index }
  }
  return best
}

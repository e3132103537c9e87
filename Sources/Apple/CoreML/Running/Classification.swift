import Engine
import Foundation
import ModelFormat

/// How a classifier's probabilities become its label and its dictionary.
struct Classification: Sendable {
  /// The index of the probabilities among the plan's outputs.
  let position: Int
  private let labels: ClassLabels
  private let labelName: String?
  private let probabilitiesName: String?

  /// Adds the probabilities to the graph's outputs unless they are one already.
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

  /// The classes and probabilities that a program's `classify` states.
  init(_ position: Int, labels: ClassLabels, description: MLModelDescription) {
    self.position = position
    self.labels = labels
    labelName = description.predictedFeatureName
    probabilitiesName = description.predictedProbabilitiesName
  }

  /// The value that the model names, else the last layer's first output.
  private static func probabilities(
    of classifier: Spec.NeuralNetworkClassifier, in graph: Graph
  ) throws -> Graph.ValueID {
    let name: String = classifier.labelProbabilityLayerName
    if name.isEmpty {
      if let last = graph.nodes.last?.outputs.first { return last }
      throw MLModelError(.io, "The classifier has no layers, so that nothing makes probabilities.")
    }
    if let index = graph.values.lastIndex(where: { $0.name == name }) {
      return Graph.ValueID(index)
    }
    if let value = graph.nodes.last(where: { $0.name == name })?.outputs.first { return value }
    throw MLModelError(
      .io,
      "The classifier takes its probabilities from \"\(name)\", but no layer makes it. The model "
        + "may be damaged.")
  }

  /// Adds label and dictionary to the values of a prediction.
  func add(to values: inout [String: MLFeatureValue], from session: Session) throws {
    let border: BorderTensor = try session.output(position)
    let tensor: ReferenceTensor = TensorCodec.unpack(border.memory, as: border.form)
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

/// The position of the first greatest probability; nil where there is none.
///
/// - Throws: Where one is NaN. No label would be right then, and the caller could not see that a named one is
///   wrong.
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

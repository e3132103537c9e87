import CoreML
import Foundation
import ModelFormat
import ModelTools

/// The section of the support page about the types of models: which run, by which test, and which are refused and why.
struct ModelTypeTable {
  /// The types of models that the specification defines, with their field numbers.
  ///
  /// The numbers are found by decoding a model with an empty message of every number, so none can be forgotten.
  private static let types: [(number: UInt32, type: Spec.Model.OneOfType)] = (UInt32(200)...3100)
    .compactMap { number in
      var key: [UInt8] = []
      var rest: UInt32 = number << 3 | 2
      while rest > 127 {
        key.append(UInt8(rest & 127 | 128))
        rest >>= 7
      }
      let bytes: [UInt8] = key + [UInt8(rest), 0]
      return (try? Spec.Model(serialized: ByteValues(bytes)))?.type.map { (number, $0) }
    }

  /// The section as Markdown.
  var markdown: String {
    var text = """

      # Types of models

      Of the \(Self.types.count) types of models in `Model.proto`, \(Self.types.count { Self.proof(of: $0.type) != nil }) run. The
      last column names the independent computation with which results are compared and the tests that do so, or the
      sentence with which a type is refused.

      | type | field | | compared with |
      |---|--:|---|---|

      """
    for (number, type) in Self.types {
      let name: String = Mirror(reflecting: type).children.first?.label ?? "unknown"
      let proof: String? = Self.proof(of: type)
      let words: String = proof ?? Self.refusal(of: type)
      text += "| `\(name)` | \(number) | \(proof == nil ? "refused" : "runs") | \(words) |\n"
    }
    return text
  }

  /// Returns the error message with which a model of a type is refused.
  private static func refusal(of type: Spec.Model.OneOfType) -> String {
    var model = Spec.Model()
    model.specificationVersion = 1
    model.type = type
    model.description = Spec.ModelDescription()
    do {
      _ = try MLModel(specification: model, configuration: MLModelConfiguration())
      return "it runs; name its test in ModelTypeTable"
    } catch {
      return "“\(error)”"
    }
  }

  /// Returns what a type's results are compared with, or nil for a type that is refused.
  private static func proof(of type: Spec.Model.OneOfType) -> String? {
    switch type {
    case .neuralNetwork, .neuralNetworkClassifier, .neuralNetworkRegressor:
      "ONNX Runtime, PyTorch and plain loops: the tables of layers, `GoldenTests`, `ClassifierTests`"
    case .mlProgram: "PyTorch and coremltools' own expectations: the tables of operations above"
    case .glmRegressor, .glmClassifier:
      "formulas by hand and scikit-learn's predictions: `LinearModelTests`, `ClassicalModelTests`, `TableModelTests`"
    case .supportVectorRegressor, .supportVectorClassifier:
      "kernel sums by hand and libsvm's rules for probabilities: `SupportVectorTests`"
    case .treeEnsembleRegressor, .treeEnsembleClassifier:
      "trees by hand and scikit-learn: `TreeTests`, `TableModelTests`"
    case .kNearestNeighborsClassifier:
      "a search of all points: `NearestNeighborsTests`, `KDTreeTests`"
    case .nonMaximumSuppression:
      "a greedy selection in NumPy: `BoxSuppressionTests`, `DetectorTests`"
    case .itemSimilarityRecommender:
      "sums by hand: `ItemRecommenderTests`, `RecommenderTests`"
    case .soundAnalysisPreprocessing: "NumPy: `SoundPreprocessingTests`"
    case .classConfidenceThresholding: "the specification's words: `RecommenderTests`"
    case .oneHotEncoder, .imputer, .featureVectorizer, .dictVectorizer, .scaler,
      .categoricalMapping,
      .normalizer, .arrayFeatureExtractor, .identity:
      "values by hand: `FeatureEngineeringTests`, `ClassicalPipelineTests`"
    case .pipeline, .pipelineClassifier, .pipelineRegressor:
      "its stages one by one: `ClassicalPipelineTests`, `MLModelTests`"
    case .linkedModel: "the linked model: `LinkedModelTests`"
    case .customModel: "the class in Swift: `CustomLayerTests`"
    case .bayesianProbitRegressor, .serializedModel, .visionFeaturePrint, .audioFeaturePrint,
      .textClassifier, .wordTagger, .gazetteer, .wordEmbedding:
      nil
    }
  }
}

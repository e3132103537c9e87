import CoreML
import Foundation
import ModelFormat

/// Small nearest-neighbours classifiers.
enum NeighborModels {
  /// Builds a classifier of points in the plane. It has no examples, and its default label is “unknown” or −1.
  static func empty(
    k: Int64 = 3, allowed: Spec.Int64Parameter.OneOfAllowedValues? = nil, dimension: Int32 = 2,
    hasIntegers: Bool = false, isTree: Bool = false
  ) -> Spec.Model {
    var index = Spec.NearestNeighborsIndex()
    index.numberOfDimensions = dimension
    index.indexType = .linearIndex(Spec.LinearIndex())
    if isTree {
      var tree = Spec.SingleKdTreeIndex()
      tree.leafSize = 4
      index.indexType = .singleKdTreeIndex(tree)
    }
    var classifier = Spec.KNearestNeighborsClassifier()
    classifier.nearestNeighborsIndex = index
    var parameter = Spec.Int64Parameter()
    parameter.defaultValue = k
    parameter.allowedValues = allowed
    classifier.numberOfNeighbors = parameter
    classifier.weightingScheme = .inverseDistanceWeighting(Spec.InverseDistanceWeighting())
    let label: Spec.FeatureDescription
    if hasIntegers {
      classifier.classLabels = .int64ClassLabels(Spec.Int64Vector())
      classifier.defaultClassLabel = .defaultInt64Label(-1)
      label = feature("label", .int64Type(Spec.Int64FeatureType()))
    } else {
      classifier.classLabels = .stringClassLabels(Spec.StringVector())
      classifier.defaultClassLabel = .defaultStringLabel("unknown")
      label = feature("label", .stringType(Spec.StringFeatureType()))
    }
    var model = Spec.Model()
    model.specificationVersion = 4
    model.isUpdatable = true
    model.type = .kNearestNeighborsClassifier(classifier)
    model.description = Spec.ModelDescription()
    model.description?.input = [array("point", Int64(dimension))]
    model.description?.output = [label]
    model.description?.predictedFeatureName = "label"
    model.description?.trainingInput = [array("point", Int64(dimension)), label]
    return model
  }

  static func array(_ name: String, _ count: Int64) -> Spec.FeatureDescription {
    var array = Spec.ArrayFeatureType()
    array.shape = [count]
    array.dataType = .float32
    return feature(name, .multiArrayType(array))
  }

  static func feature(
    _ name: String, _ type: Spec.FeatureType.OneOfType
  ) -> Spec.FeatureDescription {
    var feature = Spec.FeatureDescription()
    feature.name = name
    feature.type = Spec.FeatureType()
    feature.type?.type = type
    return feature
  }

  static func range(_ low: Int64, _ high: Int64) -> Spec.Int64Parameter.OneOfAllowedValues {
    var range = Spec.Int64Range()
    range.minValue = low
    range.maxValue = high
    return .range(range)
  }

  static func set(_ values: [Int64]) -> Spec.Int64Parameter.OneOfAllowedValues {
    var set = Spec.Int64Set()
    set.values = values
    return .set(set)
  }

  /// Creates an example, or an input if there is no label.
  static func point(_ values: [Float], _ label: Any? = nil) throws -> [String: Any] {
    let array = MLMultiArray(MLShapedArray<Float>(scalars: values, shape: [values.count]))
    return label.map { ["point": array, "label": $0] } ?? ["point": array]
  }

  /// Returns the label that a model predicts for a point.
  static func label(of values: [Float], by model: MLModel) throws -> MLFeatureValue {
    let input = try MLDictionaryFeatureProvider(dictionary: point(values))
    return try model.prediction(from: input).featureValue(for: "label")!
  }
}

extension Spec.Model {
  /// Writes the model to a file in a folder.
  func written(to folder: URL, _ name: String = "model.mlmodel") throws -> URL {
    let url: URL = folder.appendingPathComponent(name)
    try write(to: url)
    return url
  }
}

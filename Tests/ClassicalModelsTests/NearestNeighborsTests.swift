import ClassicalModels
import ModelFormat
import Testing

@Suite("Nearest neighbours")
struct NearestNeighborsTests {
  private func message(_ samples: [[Float]], _ labels: [String], k: Int64)
    -> Spec.KNearestNeighborsClassifier
  {
    var index = Spec.NearestNeighborsIndex()
    index.numberOfDimensions = 2
    index.floatSamples = samples.map { sample in
      var vector = Spec.FloatVector()
      vector.vector = FloatValues(sample)
      return vector
    }
    var message = Spec.KNearestNeighborsClassifier()
    message.nearestNeighborsIndex = index
    var parameter = Spec.Int64Parameter()
    parameter.defaultValue = k
    message.numberOfNeighbors = parameter
    var vector = Spec.StringVector()
    vector.vector = labels
    message.classLabels = .stringClassLabels(vector)
    return message
  }

  private let samples: [[Float]] = [[0, 0], [1, 0], [3, 0], [10, 10]]
  private let labels: [String] = ["a", "b", "b", "c"]

  @Test("The neighbours have equal votes, or votes weighted by inverse distance")
  func votes() throws {
    var model = message(samples, labels, k: 3)
    let equal = try NearestNeighbors(model).predict([0.25, 0])
    #expect(try NearestNeighbors(model).labels == .strings(["a", "b", "c"]))
    #expect(equal.label == 1)
    #expect(isClose(equal.shares, [1.0 / 3, 2.0 / 3, 0]))
    model.weightingScheme = .inverseDistanceWeighting(Spec.InverseDistanceWeighting())
    let weighted = try NearestNeighbors(model).predict([0.25, 0])
    #expect(weighted.label == 0)
    #expect(isClose(weighted.shares, [0.8933552091878589, 0.1066447908121411, 0]))
    #expect(try NearestNeighbors(model).predict([1, 0]).shares == [0, 1, 0])
  }

  @Test("If there are fewer examples than neighbours, all examples vote; ties go to the nearest")
  func fewExamples() throws {
    #expect(try NearestNeighbors(message(samples, labels, k: 1000)).predict([9, 9]).label == 1)
    #expect(try NearestNeighbors(message(samples, labels, k: 2)).predict([0.75, 0]).label == 1)
  }

  @Test("An input with NaN is refused")
  func notANumber() {
    #expect(
      sentence { _ = try NearestNeighbors(message(samples, labels, k: 3)).predict([1, .nan]) }
        == "Value 1 of the nearest-neighbours classifier's input is NaN, expected a number; "
        + "replace missing values first.")
  }

  @Test("Without examples, the answer is the default label")
  func empty() throws {
    var model = message([], [], k: 3)
    #expect(
      sentence { _ = try NearestNeighbors(model).predict([0, 0]) }
        == "The nearest-neighbours classifier has no examples and no default label.")
    model.defaultClassLabel = .defaultStringLabel("unknown")
    let loaded = try NearestNeighbors(model)
    #expect(loaded.labels == .strings(["unknown"]))
    #expect(try loaded.predict([0, 0]).label == 0)
  }

  @Test("Inconsistent models and inputs are refused with a message")
  func damaged() {
    #expect(
      sentence { _ = try NearestNeighbors(message([[1]], ["a"], k: 1)) }
        == "Example 0 of the nearest-neighbours classifier has 1 values; expected 2.")
    #expect(
      sentence { _ = try NearestNeighbors(message(samples, ["a"], k: 1)) }
        == "The nearest-neighbours classifier has 4 examples, but 1 labels; it needs one for each.")
    #expect(
      sentence { _ = try NearestNeighbors(message(samples, labels, k: -1)) }
        == "The nearest-neighbours classifier asks for -1 neighbours; expected 1 or more.")
    #expect(
      sentence { _ = try NearestNeighbors(message(samples, labels, k: 1)).predict([1]) }
        == "The nearest-neighbours classifier has examples of 2 values, but its input has 1.")
  }
}

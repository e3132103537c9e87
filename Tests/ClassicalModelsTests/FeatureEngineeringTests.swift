import ClassicalModels
import ModelFormat
import Testing

@Suite("Feature engineering")
struct FeatureEngineeringTests {
  private func strings(_ values: [String]) -> Spec.StringVector {
    var vector = Spec.StringVector()
    vector.vector = values
    return vector
  }

  @Test("A vectorizer concatenates numbers, arrays and sparse dictionaries")
  func vectorizer() throws {
    var message = Spec.FeatureVectorizer()
    let columns: [(String, UInt64)] = [("a", 1), ("b", 2), ("c", 3)]
    message.inputList = columns.map { name, count in
      var column = Spec.FeatureVectorizer.InputColumn()
      column.inputColumn = name
      column.inputDimensions = count
      return column
    }
    let model = try FeatureVectorizer(message)
    var values: [String: ClassicalValue] = [
      "a": .integer(7), "b": .numbers([1, 2]), "c": .integerDictionary([2: 9]),
    ]
    #expect(try model.vector { values[$0] ?? .double(0) } == [7, 1, 2, 0, 0, 9])
    values["c"] = .integerDictionary([3: 9])
    #expect(
      sentence { _ = try model.vector { values[$0] ?? .double(0) } }
        == "The dictionary \"c\" has the key 3, but the feature vectorizer expects positions from "
        + "0 to 2.")
    values["b"] = .numbers([1])
    #expect(
      sentence { _ = try model.vector { values[$0] ?? .double(0) } }
        == "The feature \"b\" has 1 values, but the feature vectorizer expects 2.")
    message.inputList[0].inputDimensions = .max
    #expect(
      sentence { _ = try FeatureVectorizer(message) }.hasPrefix(
        "The feature vectorizer's column \"a\" has 18446744073709551615 dimensions;"))
  }

  @Test("A one-hot encoder encodes known categories, and handles unknown ones by its rule")
  func oneHot() throws {
    var message = Spec.OneHotEncoder()
    message.categoryType = .stringCategories(strings(["red", "green"]))
    #expect(try OneHotEncoder(message).vector(of: .string("green")) == [0, 1])
    #expect(
      sentence { _ = try OneHotEncoder(message).vector(of: .string("blue")) }
        == "The one-hot encoder does not know the category \"blue\"; it knows 2 others.")
    #expect(
      sentence { _ = try OneHotEncoder(message).vector(of: .integer(1)) }
        == "The one-hot encoder's categories are strings, but its input is an int64.")
    message.handleUnknown = .ignoreUnknown
    #expect(try OneHotEncoder(message).vector(of: .string("blue")) == [0, 0])
    var numbers = Spec.Int64Vector()
    numbers.vector = [4, 5, 6]
    message.categoryType = .int64Categories(numbers)
    #expect(try OneHotEncoder(message).vector(of: .integer(5)) == [0, 1, 0])
  }

  @Test(
    "A scaler adds its shift before it multiplies, with one number for all values or one for each")
  func scaler() throws {
    var message = Spec.Scaler()
    message.shiftValue = [1]
    message.scaleValue = [2, 3]
    #expect(try Scaler(message).apply([1, 2]) == [4, 9])
    #expect(
      sentence { _ = try Scaler(message).apply([1, 2, 3]) }
        == "The scaler has 2 scale values, but its input has 3 values; it needs one for all or one "
        + "for each.")
    #expect(try Scaler(Spec.Scaler()).apply([1, 2, 3]) == [1, 2, 3])
  }

  @Test("A normalizer divides by the maximum, the sum or the L2 norm")
  func normalizer() throws {
    let expected: [(Spec.Normalizer.NormType, [Double])] = [
      (.lMax, [0.75, -0.5, 1]), (.l1, [1.0 / 3, -2.0 / 9, 4.0 / 9]),
      (.l2, [0.5570860145311556, -0.3713906763541037, 0.7427813527082074]),
    ]
    for (norm, values) in expected {
      var message = Spec.Normalizer()
      message.normType = norm
      #expect(isClose(try Normalizer(message).apply([3, -2, 4]), values))
      #expect(try Normalizer(message).apply([0, 0]) == [0, 0])
      #expect(try Normalizer(message).apply([1, .nan, 2]).allSatisfy { $0.isNaN })
    }
  }

  @Test("An imputer replaces missing numbers in values, arrays and dictionaries")
  func imputer() throws {
    var message = Spec.Imputer()
    message.imputedValue = .imputedDoubleValue(5)
    #expect(try Imputer(message).apply(.double(.nan)) == .double(5))
    #expect(try Imputer(message).apply(.double(1)) == .double(1))
    message.replaceValue = .replaceDoubleValue(-1)
    #expect(try Imputer(message).apply(.double(-1)) == .double(5))
    var list = Spec.DoubleVector()
    list.vector = [7, 8]
    message.imputedValue = .imputedDoubleArray(list)
    #expect(try Imputer(message).apply(.numbers([1, -1])) == .numbers([1, 8]))
    #expect(
      sentence { _ = try Imputer(message).apply(.numbers([1])) }
        == "The imputer has 2 imputed values, but its input has 1 values.")
    var map = Spec.StringToDoubleMap()
    map.map = ["a": 1, "b": 2]
    message.imputedValue = .imputedStringDictionary(map)
    #expect(
      try Imputer(message).apply(.stringDictionary(["a": 9, "b": -1]))
        == .stringDictionary(["a": 9, "b": 2]))
    message.imputedValue = .imputedStringValue("none")
    message.replaceValue = .replaceStringValue("?")
    #expect(try Imputer(message).apply(.string("?")) == .string("none"))
  }

  @Test("An extractor selects existing elements")
  func extractor() throws {
    var message = Spec.ArrayFeatureExtractor()
    message.extractIndex = [2, 0]
    #expect(try ArrayFeatureExtractor(message).apply([5, 6, 7]) == [7, 5])
    message.extractIndex = [.max]
    #expect(
      sentence { _ = try ArrayFeatureExtractor(message).apply([5]) }
        == "The array feature extractor takes element 18446744073709551615, but its input has 1 "
        + "elements, counted from 0.")
  }

  @Test("A categorical mapping maps known values, and all other values to its default")
  func mapping() throws {
    var message = Spec.CategoricalMapping()
    var map = Spec.StringToInt64Map()
    map.map = ["a": 1]
    message.mappingType = .stringToInt64Map(map)
    #expect(try CategoricalMapping(message).apply(.string("a")) == .integer(1))
    #expect(
      sentence { _ = try CategoricalMapping(message).apply(.string("b")) }
        == "The categorical mapping does not know \"b\" and has no value for unknown inputs.")
    message.valueOnUnknown = .int64Value(-1)
    #expect(try CategoricalMapping(message).apply(.string("b")) == .integer(-1))
    message.valueOnUnknown = .strValue("x")
    #expect(
      sentence { _ = try CategoricalMapping(message) }
        == "The categorical mapping's value for unknown inputs is not of the kind that it maps to.")
  }

  @Test("A dictionary vectorizer puts values at their keys' positions")
  func dictionaryVectorizer() throws {
    var message = Spec.DictVectorizer()
    message.map = .stringToIndex(strings(["x", "y", "z"]))
    let model = try DictVectorizer(message)
    #expect(try model.vector(of: .stringDictionary(["z": 2, "x": 1, "q": 9])) == [1, 0, 2])
    #expect(
      sentence { _ = try model.vector(of: .integerDictionary([1: 1])) }
        == "The dictionary vectorizer takes a dictionary with string keys, but its input is a "
        + "dictionary with int64 keys.")
  }
}

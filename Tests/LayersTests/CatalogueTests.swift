import Engine
import OperatorSamples
import Operators
import ModelFormat
import Testing

@Suite("The catalogue of layers")
struct CatalogueTests {
  /// The fields of the specification's message: a number and a name each, then those of the layer.
  private static let fields: [String] = Spec.NeuralNetworkLayer.fieldNames.split(separator: " ")
    .chunked().filter { $0.number >= 100 }.map(\.name)

  @Test("covers all layer types of the specification")
  func coverage() {
    #expect(Self.fields.count == 158)
    let missing = Self.fields.filter { !OperatorCatalog.standard.fields.contains($0) }
    #expect(missing.isEmpty, "\(missing)")
  }

  @Test("lists every field that it reads once")
  func listing() {
    let listed: [String] = OperatorCatalog.standard.readableLayers.map(\.field)
    #expect(listed.sorted() == OperatorCatalog.standard.fields.sorted())
  }

  @Test("has samples for every type")
  func samples() {
    let without: [any Operator.Type] = OperatorCatalog.standard.layers.filter {
      ($0 as? any SampledOperator.Type)?.samples.isEmpty ?? true
    }
    #expect(without.isEmpty, "\(without.map { $0.declaration.name })")
    let catalog = OperatorCatalog.standard
    let unread: [String] = catalog.readableLayers.filter { catalog.samples(of: $0).isEmpty }
      .map(\.field)
    #expect(unread.isEmpty)
  }
}

extension [Substring] {
  /// Numbers and names in turns.
  fileprivate func chunked() -> [(number: Int, name: String)] {
    stride(from: 0, to: count - 1, by: 2).map { (Int(self[$0]) ?? 0, String(self[$0 + 1])) }
  }
}

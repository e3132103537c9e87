import Engine
import OperatorSamples
import Operators
import ModelFormat
import Testing

@Suite("The layer catalogue")
struct CatalogueTests {
  /// The names of the layer fields in the specification's message. A layer field has a number of 100 or more.
  private static let fields: [String] = Spec.NeuralNetworkLayer.fieldNames.split(separator: " ")
    .chunked().filter { $0.number >= 100 }.map(\.name)

  @Test("The catalogue covers all layer types of the specification")
  func coverage() {
    #expect(Self.fields.count == 158)
    let missing = Self.fields.filter { !OperatorCatalog.standard.fields.contains($0) }
    #expect(missing.isEmpty, "\(missing)")
  }

  @Test("The catalogue lists every field that it reads exactly once")
  func listing() {
    let listed: [String] = OperatorCatalog.standard.readableLayers.map(\.field)
    #expect(listed.sorted() == OperatorCatalog.standard.fields.sorted())
  }

  @Test("The catalogue has samples for every layer type")
  func samples() {
    let without: [any Operator.Type] = OperatorCatalog.tested.filter {
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
  /// Pairs a flat list that alternates between numbers and names.
  fileprivate func chunked() -> [(number: Int, name: String)] {
    stride(from: 0, to: count - 1, by: 2).map { (Int(self[$0]) ?? 0, String(self[$0 + 1])) }
  }
}

import Foundation

extension NSKeyedUnarchiver {
  /// Reads an array of objects of one class from an archive.
  ///
  /// - Returns: Nil if the archive's root is no array of such objects.
  public static func unarchivedArrayOfObjects<Element: NSObject & NSCoding>(
    ofClass type: Element.Type, from data: Data
  ) throws -> [Element]? {
    try unarchivedObject(ofClasses: [NSArray.self, type], from: data) as? [Element]
  }

  /// Reads an array of objects of several classes from an archive.
  ///
  /// - Returns: Nil if the archive's root is no array of such objects.
  public static func unarchivedArrayOfObjects(
    ofClasses types: [AnyClass], from data: Data
  ) throws -> [Any]? {
    try unarchivedObject(ofClasses: [NSArray.self] + types, from: data) as? [Any]
  }
}

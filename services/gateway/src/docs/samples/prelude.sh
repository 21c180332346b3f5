BASE=https://record.example
TOKEN=${TOKEN:-api_...}   # your token: the operator of the service creates it
# A download has -f: an error saves no file. To see the sentence of the error, leave out -f and -o.

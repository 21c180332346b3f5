BASE=https://record.example
TOKEN=${TOKEN:-api_...}   # your token: the operator of the service creates it
